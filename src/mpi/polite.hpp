// Collective operations whose waiting gives the processor away, and sleeps where that is not enough. Where processes share
// processors MPICH's own spin through whole time slices, tens of milliseconds for one; making a barrier takes several.
#pragma once

#include <mpi.h>

#include "call.hpp"
#include "waiting.hpp"

namespace weir::mpi::polite {

inline void wait(MPI_Request& request, const char* doing) {
  nap between;
  for (int done = 0, looks = 0;; ++looks) {
    check(PMPI_Test(&request, &done, MPI_STATUS_IGNORE), doing);
    if (done != 0) return;
    if (looks < 100)
      native::yield();
    else
      between.doze();  // whoever is waited for may be in another scheduling group
  }
}

inline void barrier(MPI_Comm comm, const char* doing) {
  MPI_Request request;
  check(PMPI_Ibarrier(comm, &request), doing);
  wait(request, doing);
}

/// The least of all.
inline int least(int mine, MPI_Comm comm, const char* doing) {
  MPI_Request request;
  int result = 0;
  check(PMPI_Iallreduce(&mine, &result, 1, MPI_INT, MPI_MIN, comm, &request), doing);
  wait(request, doing);
  return result;
}

/// `count` bytes of each, into all.
inline void gather(const void* mine, void* all, int count, MPI_Comm comm, const char* doing) {
  MPI_Request request;
  check(PMPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm, &request), doing);
  wait(request, doing);
}

}  // namespace weir::mpi::polite
