// A turn goes round the members, each of which polls for it in a loop that flushes. How many polls does that take?
#include <omp.h>
#include <stdio.h>

enum { rounds = 1000 };

int main(void) {
  int turn = 0;
  long polls = 0;
#pragma omp parallel reduction(+ : polls)
  {
    const int members = omp_get_num_threads(), me = omp_get_thread_num();
    for (int round = 0; round < rounds; ++round) {
      while (turn != round * members + me) {
        ++polls;
#pragma omp flush
      }
      turn = round * members + me + 1;
#pragma omp flush
    }
  }
  printf("%ld\n", polls);
  return 0;
}
