/* scan: inclusive and exclusive prefixes. */
#include "check.h"
#include <omp.h>

enum { N = 1000 };
static long up_to[N], before[N];
static int most[N];

int main(void) {
  for (int round = 0; round < 10; ++round) {
    long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; ++i) {
      sum += i;
#pragma omp scan inclusive(sum)
      up_to[i] = sum;
    }
    CHECK(sum == N * (N - 1) / 2);
    sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; ++i) {
      before[i] = sum;
#pragma omp scan exclusive(sum)
      sum += i;
    }
    CHECK(sum == N * (N - 1) / 2);
    int highest = -1;
#pragma omp parallel for reduction(inscan, max : highest)
    for (int i = 0; i < N; ++i) {
      if (i * 7 % 1009 > highest) highest = i * 7 % 1009;
#pragma omp scan inclusive(highest)
      most[i] = highest;
    }
    int expected = -1;
    for (int i = 0; i < N; ++i) {
      if (i * 7 % 1009 > expected) expected = i * 7 % 1009;
      CHECK(up_to[i] == i * (i + 1) / 2 && before[i] == i * (i - 1) / 2 && most[i] == expected);
    }
  }
  return verdict();
}
