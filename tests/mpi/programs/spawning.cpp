// Spawned processes: barriers between the two worlds, of the merged worlds, and of each world by itself.
#include <mpi.h>

#include <cstdio>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm parent, between, merged;
  MPI_Comm_get_parent(&parent);
  between = parent;
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(words[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &merged);
  for (MPI_Comm comm : {between, merged, MPI_COMM_WORLD})
    for (int i = 0; i < 100; ++i) MPI_Barrier(comm);
  int rank = 0, size = 0;
  MPI_Comm_rank(merged, &rank);
  MPI_Comm_size(merged, &size);
  if (rank == 0 && size == 4) std::puts("kept");
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&between);
  MPI_Finalize();
}
