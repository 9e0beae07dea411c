/* A process that could not open the library for its MPI, among others that could: it uses MPI's own barriers, and answers so when
 * the others ask. */
#ifndef WEIR_MPI_ABSENT_H
#define WEIR_MPI_ABSENT_H

#include <stdbool.h>

/* A communicator in C: MPICH's is an int, Open MPI's a pointer; both arrive in one register and are passed on in it. */
typedef void *communicator;

/* Finds MPI's functions by `of_mpi`; false if some are missing, which no MPI with a library of Weir's does. */
bool weir_find_absent(void *(*of_mpi)(const char *), bool mpich);
/* MPI_Barrier's form. */
int weir_absent_barrier(communicator comm);

#endif
