// Collective operations on the program's communicators whose waiting gives the processor away.
//
// Where processes share processors MPICH's own spin through whole time slices, tens of milliseconds for one; making a barrier takes
// several. So they are begun, and waited for here, with naps.
//
// Not under Open MPI: while an MPI_Comm_idup of the same communicator is pending, its nonblocking operations are mixed up with those
// by which it makes the duplicate. Sums are wrong, and processes wait for ever (4.1.4; tests/mpi/programs/pending_duplicate.cpp
// shows it without Weir). Its blocking operations are not mixed up, and give the processor away themselves where they share it.
#pragma once

#include <mpi.h>

#include "call.hpp"
#include "waiting.hpp"

namespace weir::mpi::polite {

#ifdef OPEN_MPI
inline constexpr bool blocking = true;
#else
inline constexpr bool blocking = false;
#endif

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

/// One operation in both its forms.
template <class Blocking, class Nonblocking, class... Arguments>
void together(Blocking at_once, Nonblocking begin, const char* doing, Arguments... arguments) {
  if constexpr (blocking) {
    check(at_once(arguments...), doing);
  } else {
    MPI_Request request;
    check(begin(arguments..., &request), doing);
    wait(request, doing);
  }
}

inline void barrier(MPI_Comm comm, const char* doing) { together(PMPI_Barrier, PMPI_Ibarrier, doing, comm); }

/// The least of all.
inline int least(int mine, MPI_Comm comm, const char* doing) {
  int result = 0;
  together(PMPI_Allreduce, PMPI_Iallreduce, doing, &mine, &result, 1, MPI_INT, MPI_MIN, comm);
  return result;
}

/// The largest of each word of all.
inline void largest(const void* mine, void* all, int words, MPI_Comm comm, const char* doing) {
  together(PMPI_Allreduce, PMPI_Iallreduce, doing, mine, all, words, MPI_UINT64_T, MPI_MAX, comm);
}

/// `count` bytes of each, into all.
inline void gather(const void* mine, void* all, int count, MPI_Comm comm, const char* doing) {
  together(PMPI_Allgather, PMPI_Iallgather, doing, mine, count, MPI_BYTE, all, count, MPI_BYTE, comm);
}

}  // namespace weir::mpi::polite
