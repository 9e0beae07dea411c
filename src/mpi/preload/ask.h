/* What the processes of a communicator ask each other before it gets a barrier of Weir's. Of each number all learn the largest.
 *
 * It is asked by the library that was built for the program's MPI, and where a process could not open that by libweir-mpi.so: both
 * count a communicator's barriers alike, from 1, and ask before the same ones, so nobody waits for a process that does not come. */
#ifndef WEIR_MPI_ASK_H
#define WEIR_MPI_ASK_H

#include <stdint.h>

enum { weir_first_ask = 8 }; /* and before each barrier whose number is twice as large as the last one's */

struct weir_ask {
  uint64_t unable;         /* this process can have none; if any can not, nobody asks for this communicator again */
  uint64_t less_than;      /* the time that it has spent in MPI's own barriers of the communicator, in ns, inverted: the least counts */
  uint64_t price;          /* what a barrier must be worth to be made, in ns of those */
  uint64_t place;          /* drawn by lot: the barrier's number, alike in all */
  uint64_t asked, unlike;  /* a number for what its environment asks for, and that number inverted */
};

/* MPICH's handles are numbers that no MPI with its binary interface may change. Open MPI's are addresses, found by their names. */
#define WEIR_MPICH_UINT64 0x4c00083eL
#define WEIR_MPICH_MAX 0x58000001L
#define WEIR_OPENMPI_UINT64 "ompi_mpi_uint64_t"
#define WEIR_OPENMPI_MAX "ompi_mpi_op_max"

#endif
