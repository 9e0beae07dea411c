// Collective operations on the program's communicators that yield the processor while they wait.
//
// If processes share processors, MPICH's blocking operations spin through whole time slices, tens of milliseconds for one, and
// making a barrier takes several. So the nonblocking forms are started here and waited for with short sleeps.
//
// Not under Open MPI: while an MPI_Comm_idup of the same communicator is pending, its nonblocking operations get mixed up with
// those that make the duplicate. Sums are wrong, and processes wait for ever (4.1.4; tests/mpi/programs/pending_duplicate.cpp
// shows it without Weir). Its blocking operations are not mixed up, and yield the processor themselves when it is shared.
#pragma once

#include <mpi.h>

#include "call.hpp"
#include "waiting.hpp"

namespace weir::mpi::yielding {

#ifdef OPEN_MPI
inline constexpr bool blocking = true;
#else
inline constexpr bool blocking = false;
#endif

inline void wait(MPI_Request& request, const char* doing) {
  message_gate between;
  for (int done = 0, looks = 0;; ++looks) {
    check(PMPI_Test(&request, &done, MPI_STATUS_IGNORE), doing);
    if (done != 0) return;
    if (looks < 100)
      native::yield();
    else
      between.pause();  // a process that this one waits for may be in another scheduling group, which a yield does not reach
  }
}

/// One operation in its two forms.
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

/// The minimum over all processes.
inline int least(int own, MPI_Comm comm, const char* doing) {
  int result = 0;
  together(PMPI_Allreduce, PMPI_Iallreduce, doing, &own, &result, 1, MPI_INT, MPI_MIN, comm);
  return result;
}

/// The maximum of each word over all processes.
inline void largest(const void* own, void* maxima, int words, MPI_Comm comm, const char* doing) {
  together(PMPI_Allreduce, PMPI_Iallreduce, doing, own, maxima, words, MPI_UINT64_T, MPI_MAX, comm);
}

/// `count` bytes of each process, in all processes.
inline void gather(const void* own, void* gathered, int count, MPI_Comm comm, const char* doing) {
  together(PMPI_Allgather, PMPI_Iallgather, doing, own, count, MPI_BYTE, gathered, count, MPI_BYTE, comm);
}

}  // namespace weir::mpi::yielding
