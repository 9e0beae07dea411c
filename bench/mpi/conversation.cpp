#include "conversation.hpp"

#include <sched.h>
#include <time.h>

#include <cstring>

namespace bench::mpi {

namespace {

// Yields alone do not suffice: a launcher that starts a session for each process puts each into a scheduling group of its own,
// and a yield stays within the group.
void wait_for_all(std::vector<MPI_Request>& requests) {
  constexpr int yields = 100;
  constexpr timespec pause{0, 20'000};
  for (int done = 0, looks = 0;; ++looks) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    if (looks < yields)
      sched_yield();
    else
      nanosleep(&pause, nullptr);
  }
}

}  // namespace

conversation::conversation(MPI_Comm of) {
  MPI_Comm_dup(of, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}
conversation::~conversation() { MPI_Comm_free(&comm_); }

void conversation::send_to_all(void* what, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  std::vector<MPI_Request> requests;
  if (rank_ != 0) {
    MPI_Irecv(what, count, MPI_BYTE, 0, 0, comm_, &requests.emplace_back());
  } else {
    for (int r = 1; r < size_; ++r) MPI_Isend(what, count, MPI_BYTE, r, 0, comm_, &requests.emplace_back());
  }
  wait_for_all(requests);
}

void conversation::receive_from_all(const void* own, std::size_t bytes, void* gathered) {
  const int count = static_cast<int>(bytes);
  std::vector<MPI_Request> requests;
  if (rank_ != 0) {
    MPI_Isend(own, count, MPI_BYTE, 0, 1, comm_, &requests.emplace_back());
  } else {
    auto* const at = static_cast<std::byte*>(gathered);
    std::memcpy(at, own, bytes);
    for (int r = 1; r < size_; ++r)
      MPI_Irecv(at + static_cast<std::size_t>(r) * bytes, count, MPI_BYTE, r, 1, comm_, &requests.emplace_back());
  }
  wait_for_all(requests);
}

}  // namespace bench::mpi
