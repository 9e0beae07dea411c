// One process comes to MPI_Finalize later than the others, and never comes back from it: MPICH 4.0 over UCX's TCP, without Weir
// (docs/mpi/hosts.md). Messages by another way than UCX's have gone before. No test runs it.
//   mpicc.mpich -O1 late.c && mpiexec.mpich -n 4 unshare --ipc ./a.out
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 100; ++round)
    for (int distance = 1; distance < size; distance *= 2) {
      MPI_Request both[2];
      MPI_Irecv(NULL, 0, MPI_BYTE, (rank + size - distance) % size, 0, MPI_COMM_WORLD, &both[0]);
      MPI_Isend(NULL, 0, MPI_BYTE, (rank + distance) % size, 0, MPI_COMM_WORLD, &both[1]);
      for (int done = 0; !done; usleep(20)) MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
    }
  if (rank == 0) {
    puts("all messages have come");
    fflush(stdout);
  }
  MPI_Finalize();
}
