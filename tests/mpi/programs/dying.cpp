// A process dies while the others wait for it at a barrier; they get an error, destroy the barrier, and continue without it.
//   dying WITHIN ERRORS [TRANSPORT [WAITING]]    ERRORS: fatal, or return: the communicator's error handler
//                                                WAITING: wait, or test: the others' calls; mpi: the waiting policy mpi
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>
#include <unistd.h>
#include <weir/mpi.hpp>

#include "checking.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string within = argc > 1 ? argv[1] : "auto";
  const int rank = checking::rank_in(MPI_COMM_WORLD);
  if (argc > 2 && std::strcmp(argv[2], "return") == 0) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string transport = argc > 3 ? argv[3] : "auto";
  const std::string waiting = argc > 4 ? argv[4] : "wait";
  MPI_Comm others;
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &others);
  weir::mpi::barrier rest(others);
  const weir::mpi::options how{.within = within, .transport = transport, .waiting = waiting == "mpi" ? "mpi" : "auto"};
  auto b = std::make_unique<weir::mpi::barrier>(MPI_COMM_WORLD, how);
  try {
    for (int e = 0; e < 10; ++e) b->arrive_and_wait();
    // Open MPI's MPI_Accumulate needs a live target.
    const bool signals_first = transport == "rma";
    if (rank == size - 1) {
      for (int r = 0; signals_first && r < rank; ++r) MPI_Recv(nullptr, 0, MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      raise(SIGKILL);
    }
    b->begin();
    if (signals_first) MPI_Send(nullptr, 0, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD);
    while (waiting == "test" && !b->test()) sched_yield();
    b->end();
    std::printf("rank %d passed\n", rank);
  } catch (const weir::mpi::error& e) {
    std::printf("rank %d was told: %s\n", rank, e.what());
    std::thread([&] { b.reset(); }).join();  // in any thread, not only the one that began the episode
    for (int i = 0; i < 100; ++i) rest.arrive_and_wait();
    std::printf("rank %d went on\n", rank);
  }
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the dead process
}
