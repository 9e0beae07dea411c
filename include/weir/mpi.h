/* MPI_Barrier's form, for C: the barrier is made when a communicator's barriers have taken as long as making it does, and freed with
 * the communicator.
 *
 * Which barrier: WEIR_MPI_BARRIER, WEIR_MPI_WITHIN, WEIR_MPI_TRANSPORT and WEIR_MPI_WAITING in the environment, with the names of
 * <weir/mpi.hpp>; they must be the same for all processes. WEIR_MPI_PRICE: what making one is taken to cost, in microseconds.
 * WEIR_MPI_VERBOSE says what was taken. */
#ifndef WEIR_MPI_H
#define WEIR_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As MPI_Barrier: collective over the communicator, any thread level that MPI_Barrier could be called at, an error code of MPI's
 * after the communicator's error handler has been called. The first barriers of a communicator, and all of an
 * inter-communicator, are MPI's own. */
int weir_mpi_barrier(MPI_Comm comm);
/* For Fortran's handles. */
int weir_mpi_barrier_f(MPI_Fint comm);

#ifdef __cplusplus
}
#endif

#endif
