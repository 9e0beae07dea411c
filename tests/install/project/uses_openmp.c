/* Its team has as many threads as the first argument says, and they are Weir's. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** words) {
  int threads = 0, ours = 0;
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  FILE* const maps = fopen("/proc/self/maps", "r");
  for (char line[512]; maps != NULL && fgets(line, sizeof line, maps) != NULL;) {
    if (strstr(line, "/libgomp-weir.so") != NULL)
      ours = 1;
    else if (strstr(line, "libgomp") != NULL || strstr(line, "libomp.so") != NULL)
      return 2;
  }
  return ours && count == 2 && threads == atoi(words[1]) ? 0 : 1;
}
