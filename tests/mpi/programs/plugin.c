/* MPI as in a Python package: it is loaded with a library that the program opens at run time, outside of the global scope.
 * With -DHOST this is the program, which opens the library that its first argument names; without, it is the library. */
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
