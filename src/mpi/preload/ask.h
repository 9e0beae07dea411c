/* The numbers that the processes of a communicator exchange before it gets a barrier of Weir's. All learn the largest of each
 * number.
 *
 * The library that was built for the program's MPI asks, or libweir-mpi.so in a process that could not open that library. Both
 * count a communicator's barriers from 1 and ask before the same ones, so every process takes part. */
#ifndef WEIR_MPI_ASK_H
#define WEIR_MPI_ASK_H

#include <stdint.h>

enum { weir_first_ask = 8 }; /* and before each barrier whose number is twice as large as the last one's */

struct weir_ask {
  uint64_t unable;         /* this process can have none; if any cannot, no process asks for this communicator again */
  uint64_t less_than;      /* the time spent in MPI's own barriers of the communicator, in ns, inverted: the least counts */
  uint64_t price;          /* the time, in ns, that these must have taken before a barrier is made */
  uint64_t place;          /* a random number: the largest becomes the barrier's number in all processes */
  uint64_t asked, unlike;  /* a digest of its environment's requests, and that digest inverted: equal if all have the same */
  uint64_t wrong_price;    /* 1 + the rank of a process whose WEIR_MPI_PRICE cannot be read; that of the last says so */
};

/* MPICH's handles are numbers that no MPI with its binary interface may change. Open MPI's are addresses, found by their
   names. */
#define WEIR_MPICH_UINT64 0x4c00083eL
#define WEIR_MPICH_MAX 0x58000001L
#define WEIR_OPENMPI_UINT64 "ompi_mpi_uint64_t"
#define WEIR_OPENMPI_MAX "ompi_mpi_op_max"

#endif
