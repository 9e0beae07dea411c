/* What a Python package does: MPI comes with a library that is opened while the program runs, and is in no global scope.
 * With -DHOST: the program that opens it, by the name in its first argument; without: the library. */
#ifdef HOST
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
  if (count < 2) return 2;
  void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  int (*work)(int) = library ? (int (*)(int))dlsym(library, "work") : NULL;
  if (work == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return work(10);
}
#else
#include <mpi.h>
#include <stdio.h>

int work(int passes) {
  int rank = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < passes; ++i)
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
  if (rank == 0) puts("kept");
  MPI_Finalize();
  return 0;
}
#endif
