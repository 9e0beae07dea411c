/* A process that could not open the library for its MPI, among others that could: it has MPI's own barriers, and says so where the
 * others ask. */
#ifndef WEIR_MPI_ABSENT_H
#define WEIR_MPI_ABSENT_H

#include <stdbool.h>

/* A communicator in C: MPICH's is an int, Open MPI's a pointer; both come in one register and are handed on in it. */
typedef void *communicator;

/* Of MPI's functions, by `of_mpi`; false where some are missing, as in no MPI that the others have a library for. */
bool weir_find_absent(void *(*of_mpi)(const char *), bool mpich);
/* MPI_Barrier's form. */
int weir_absent_barrier(communicator comm);

#endif
