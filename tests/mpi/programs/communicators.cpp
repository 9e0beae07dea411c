// Barriers of sub-communicators, of overlapping ones and of several at once; their messages never match the program's receives.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <weir/mpi.hpp>

#include "checking.hpp"

namespace {

constexpr unsigned episodes = 10;

void check(MPI_Comm comm, const std::string& what, const weir::mpi::options& how = {}) {
  weir::mpi::barrier b(comm, how);
  checking::require(checking::keeps(comm, episodes, [&] { b.arrive_and_wait(); }), what);
}

const weir::mpi::options ways[] = {{}, {.algorithm = "dissemination"}, {.algorithm = "mcs", .transport = "persistent"}};

void split(int rank, int size) {
  for (const int parts : {2, 3}) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % parts, -rank, &part);  // with the ranks in the opposite order
    for (const auto& how : ways) check(part, "one of " + std::to_string(parts) + " parts, " + how.algorithm, how);
    // Made from a communicator that has been freed.
    auto b = std::make_unique<weir::mpi::barrier>(part);
    MPI_Comm_free(&part);
    for (unsigned e = 0; e < episodes; ++e) b->arrive_and_wait();
  }
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank < (size + 1) / 2 ? 0 : MPI_UNDEFINED, rank, &some);
  if (some != MPI_COMM_NULL) {
    check(some, "the first half");
    MPI_Comm_free(&some);
  }
}

// Each process is in two communicators, with its left and its right neighbour. All are used in turn, but not equally often.
void overlap(int rank, int size) {
  MPI_Comm pairs[2];
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pairs[0]);
  MPI_Comm_split(MPI_COMM_WORLD, (rank + 1) / 2, rank, &pairs[1]);
  for (const auto& how : ways) {
    weir::mpi::barrier whole(MPI_COMM_WORLD, how), left(pairs[0], how), right(pairs[1], how);
    for (unsigned round = 0; round < 5; ++round) {
      checking::require(checking::keeps(pairs[0], 3, [&] { left.arrive_and_wait(); }), "left pairs, " + how.algorithm);
      checking::require(checking::keeps(pairs[1], 2, [&] { right.arrive_and_wait(); }), "right pairs, " + how.algorithm);
      checking::require(checking::keeps(MPI_COMM_WORLD, 1, [&] { whole.arrive_and_wait(); }), "all, " + how.algorithm);
    }
    // Begun together, ended in the opposite order.
    whole.begin();
    left.begin();
    right.begin();
    right.end();
    left.end();
    whole.end();
  }
  MPI_Comm_free(&pairs[0]);
  MPI_Comm_free(&pairs[1]);
  static_cast<void>(size);
}

// Begun barriers progress while their thread waits at another one: all complete, as with MPI_Ibarrier.
void in_any_order(int rank) {
  for (const auto& how : ways) {
    weir::mpi::barrier a(MPI_COMM_WORLD, how), b(MPI_COMM_WORLD, how);
    for (int e = 0; e < 10; ++e) {
      a.begin();
      if (rank % 3 == 0) b.arrive_and_wait();
      a.end();
      if (rank % 3 != 0) b.arrive_and_wait();
    }
  }
}

// Begun in one thread, ended in another.
void handed_on(int rank) {
  for (const auto& how : ways) {
    weir::mpi::barrier b(MPI_COMM_WORLD, how);
    const auto pass = [&] {
      std::thread([&] { b.begin(); }).join();
      checking::dawdle(1, static_cast<unsigned>(rank));
      b.end();
    };
    checking::require(checking::keeps(MPI_COMM_WORLD, episodes, pass), "begun in another thread, " + how.algorithm);
  }
}

// A waiting process checks whether others are alive, for which it opens files. If it can open none, it must not report a death.
void without_files(int rank) {
  weir::mpi::barrier b(MPI_COMM_WORLD);
  std::vector<int> files;
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{std::min<rlim_t>(before.rlim_cur, 256), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  for (int file; (file = dup(0)) >= 0;) files.push_back(file);
  const timespec later{0, 500'000'000};
  if (rank == 1) nanosleep(&later, nullptr);
  b.arrive_and_wait();
  for (const int file : files) close(file);
  setrlimit(RLIMIT_NOFILE, &before);
}

// The program receives from any source, with any tag, while a barrier is in progress.
void mixed(int rank, int size) {
  for (const auto& how : ways) {
    weir::mpi::barrier b(MPI_COMM_WORLD, how);
    for (int e = 0; e < 10; ++e) {
      int sent = 1000 * rank + e, got = -1;
      MPI_Request requests[2];
      MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
      b.begin();
      MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, e % 3, MPI_COMM_WORLD, &requests[1]);
      b.end();
      for (int done = 0; done == 0; sched_yield()) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
      checking::require(got == 1000 * ((rank + size - 1) % size) + e ? "" : "received " + std::to_string(got), "mixed messages");
    }
  }
}

// A large message needs its sender, which waits at the barrier: MPI_Barrier lets the message progress, and so must this barrier.
void rendezvous(int rank, int size) {
  for (const auto& how : ways) {
    weir::mpi::barrier b(MPI_COMM_WORLD, how);
    std::vector<char> sent(8 << 20, 'x'), got(sent.size());
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0 && size > 1)
      MPI_Isend(sent.data(), static_cast<int>(sent.size()), MPI_CHAR, size - 1, 7, MPI_COMM_WORLD, &request);
    if (rank == size - 1 && size > 1) {
      const timespec later{0, 20'000'000};
      nanosleep(&later, nullptr);
      MPI_Request receive;
      MPI_Irecv(got.data(), static_cast<int>(got.size()), MPI_CHAR, 0, 7, MPI_COMM_WORLD, &receive);
      for (int done = 0; done == 0; sched_yield()) MPI_Test(&receive, &done, MPI_STATUS_IGNORE);
      checking::require(got == sent ? "" : "another text came", "a large message");
    }
    b.arrive_and_wait();
    for (int done = 0; done == 0; sched_yield()) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  const int rank = checking::rank_in(MPI_COMM_WORLD);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(MPI_COMM_SELF, "alone");
  split(rank, size);
  overlap(rank, size);
  in_any_order(rank);
  handed_on(rank);
  without_files(rank);
  mixed(rank, size);
  rendezvous(rank, size);
  if (rank == 0) std::puts("kept");
  MPI_Finalize();
}
