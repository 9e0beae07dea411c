/* SPDX-License-Identifier: Apache-2.0 */
/* A function with the form of MPI_Barrier, for C. A communicator gets a barrier of Weir's once MPI's own barriers on it have
 * taken as long as making one takes. The barrier is freed with the communicator.
 *
 * WEIR_MPI_BARRIER, WEIR_MPI_WITHIN, WEIR_MPI_TRANSPORT and WEIR_MPI_WAITING in the environment select the barrier, with the
 * names of <weir/mpi.hpp>; they must be the same in all processes. WEIR_MPI_PRICE is the assumed cost of making a barrier, in
 * microseconds. If WEIR_MPI_VERBOSE is set, the choice is reported. */
#ifndef WEIR_MPI_H
#define WEIR_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Like MPI_Barrier: collective over the communicator, at any thread level at which MPI_Barrier could be called. Returns an
 * error code of MPI after the communicator's error handler has been called. The first barriers of a communicator, and all
 * barriers of an inter-communicator, are MPI's own. */
int weir_mpi_barrier(MPI_Comm comm);
/* For Fortran's handles. */
int weir_mpi_barrier_f(MPI_Fint comm);

#ifdef __cplusplus
}
#endif

#endif
