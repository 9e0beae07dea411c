/* Ranks that compute and meet until the file exists that the first word names. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int words, char **word) {
  int rank, ended = 0;
  MPI_Init(&words, &word);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (!ended) {
    for (volatile int i = 0; i < 300000; ++i) continue;
    const int exists = access(word[1], F_OK) == 0;
    MPI_Allreduce(&exists, &ended, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  if (rank == 0) puts("kept");
  MPI_Finalize();
  return 0;
}
