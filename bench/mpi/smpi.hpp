// Included before everything else under SMPI. Its MPI_Iallgather sends from each rank to each, a million messages for a thousand
// ranks, and it would simulate each test of a request. Weir uses these operations only to make a barrier, which is not timed, so
// the blocking operations replace them here.
#pragma once

#include <mpi.h>

inline int smpi_ibarrier(MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Barrier(comm);
}

inline int smpi_iallgather(const void* from, int count, MPI_Datatype type, void* to, int each, MPI_Datatype each_type,
                           MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allgather(from, count, type, to, each, each_type, comm);
}

inline int smpi_iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                           MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

// SMPI's MPI_Test leaves the flag unchanged for MPI_REQUEST_NULL; the standard says that it is true.
inline int smpi_test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = 1;
  return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : PMPI_Test(request, done, status);
}

#define PMPI_Test smpi_test
#define PMPI_Ibarrier smpi_ibarrier
#define PMPI_Iallgather smpi_iallgather
#define PMPI_Iallreduce smpi_iallreduce
