/* MPI_Barrier's form, for C: the barrier is made when a communicator's barriers have taken as long as making one takes, and freed
 * with the communicator.
 *
 * WEIR_MPI_BARRIER, WEIR_MPI_WITHIN, WEIR_MPI_TRANSPORT and WEIR_MPI_WAITING in the environment select the barrier, with the names of
 * <weir/mpi.hpp>; they must be the same in all processes. WEIR_MPI_PRICE: the assumed cost of making a barrier, in microseconds.
 * WEIR_MPI_VERBOSE: report the choice. */
#ifndef WEIR_MPI_H
#define WEIR_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Like MPI_Barrier: collective over the communicator, at any thread level at which MPI_Barrier could be called; returns an error code
 * of MPI's after the communicator's error handler has been called. The first barriers of a communicator, and all of an
 * inter-communicator, are MPI's own. */
int weir_mpi_barrier(MPI_Comm comm);
/* For Fortran's handles. */
int weir_mpi_barrier_f(MPI_Fint comm);

#ifdef __cplusplus
}
#endif

#endif
