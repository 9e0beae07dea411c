/* Knows nothing of Weir. */
#include <mpi.h>

int main(int count, char **words) {
  MPI_Init(&count, &words);
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
