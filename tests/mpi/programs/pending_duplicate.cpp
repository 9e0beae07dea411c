// Threads call barriers of communicators that are being duplicated: an MPI_Comm_idup is pending while barriers of the same
// communicator are called, and while others are made. The program does not refer to Weir; it prints "kept" if all threads
// continued.
//   pending_duplicate [THREADS [ROUNDS]]
//   pending_duplicate sums      without a barrier: Open MPI 4.1 by itself mixes up nonblocking operations with the duplication
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int barriers = 10;  // more than precede Weir's with WEIR_MPI_PRICE=0

void duplicate(MPI_Comm parent, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm first, second;
    MPI_Request pending;
    MPI_Comm_idup(parent, &first, &pending);
    for (int b = 0; b < barriers; ++b) MPI_Barrier(parent);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Comm_dup(first, &second);
    for (int b = 0; b < barriers; ++b) {
      MPI_Barrier(first);
      MPI_Barrier(second);
    }
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
  }
}

// The number of wrong sums.
int sums(MPI_Comm parent, int size, int rounds) {
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm made;
    MPI_Request pending, sum;
    MPI_Comm_idup(parent, &made, &pending);
    for (long value = 1; value < 5; ++value) {
      long total = 0;
      MPI_Iallreduce(&value, &total, 1, MPI_LONG, MPI_SUM, parent, &sum);
      MPI_Wait(&sum, MPI_STATUS_IGNORE);
      wrong += total != value * size;
    }
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
  }
  return wrong;
}

}  // namespace

int main(int count, char** words) {
  int given = 0, rank = 0, size = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (given != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  if (count > 1 && std::strcmp(words[1], "sums") == 0) {
    std::printf("%d sums are wrong\n", sums(MPI_COMM_WORLD, size, 50));
  } else {
    std::vector<MPI_Comm> parents(static_cast<std::size_t>(count > 1 ? std::atoi(words[1]) : 3));
    for (MPI_Comm& parent : parents) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    std::vector<std::thread> threads;
    for (MPI_Comm& parent : parents) threads.emplace_back(duplicate, parent, count > 2 ? std::atoi(words[2]) : 10);
    for (std::thread& t : threads) t.join();
    if (rank == 0) std::puts("kept");
  }
  MPI_Finalize();
}
