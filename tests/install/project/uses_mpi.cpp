// Barriers of processes, of threads and processes, MPI_Barrier's form, and an exception that comes out of the library.
#include <weir/mpi.h>
#include <weir/mpi.hpp>

#include <thread>

int main(int count, char** words) {
  int level = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_SERIALIZED, &level);
  {
    weir::mpi::barrier processes(MPI_COMM_WORLD, {.algorithm = "mcs"});
    weir::mpi::team_barrier threads(MPI_COMM_WORLD, 2);
    for (int i = 0; i < 10; ++i) {
      processes.arrive_and_wait();
      weir_mpi_barrier(MPI_COMM_WORLD);
    }
    std::thread other([&] { threads.arrive_and_wait(1); });
    threads.arrive_and_wait(0);
    other.join();
  }
  int refused = 0;
  try {
    weir::mpi::barrier b(MPI_COMM_WORLD, {.algorithm = "none such"});
  } catch (const std::invalid_argument&) {
    refused = 1;
  }
  MPI_Finalize();
  return refused == 1 ? 0 : 1;
}
