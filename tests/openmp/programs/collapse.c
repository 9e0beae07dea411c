/* for: collapse, and lastprivate. */
#include "check.h"
#include <omp.h>
#include <string.h>

static int times[12][10][8];

static void met(int i, int j, int k) { add(&times[i][j][k], 1); }

static void all_met(void) {
  int good = 1;
  for (int *t = &times[0][0][0]; t < &times[0][0][0] + 12 * 10 * 8; ++t) good &= *t == 1;
  CHECK(good);
  memset(times, 0, sizeof times);
}

static void nests(void) {
#pragma omp parallel
  {
#pragma omp for collapse(3) schedule(static)
    for (int i = 0; i < 12; ++i)
      for (long j = 9; j >= 0; --j)
        for (unsigned k = 0; k < 16; k += 2) met(i, (int)j, (int)k / 2);
#pragma omp single
    all_met();
#pragma omp for collapse(2) schedule(dynamic, 3)
    for (unsigned long long i = 0; i < 12; ++i)
      for (short j = 0; j < 10; ++j)
        for (int k = 0; k < 8; ++k) met((int)i, j, k);
#pragma omp single
    all_met();
#pragma omp for collapse(3) schedule(guided) nowait
    for (int i = 11; i > -1; i -= 1)
      for (int j = 0; j != 10; ++j)
        for (int k = 7; k >= 0; --k) met(i, j, k);
#pragma omp barrier
#pragma omp single
    all_met();
#pragma omp for collapse(2)
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < asked() - asked(); ++j) met(i, j, 0); /* the inner loop has no iterations, so there are none */
  }
  for (int i = 0; i < 12; ++i) CHECK(times[i][0][0] == 0);
}

static void an_inner_bound_may_be_of_the_outer(void) {
  int sum = 0, count = 0;
#pragma omp parallel for collapse(2) reduction(+ : sum, count)
  for (int i = 0; i < 20; ++i)
    for (int j = i; j < 20; ++j) {
      sum += i * j;
      ++count;
    }
  int expected = 0;
  for (int i = 0; i < 20; ++i)
    for (int j = i; j < 20; ++j) expected += i * j;
  CHECK(count == 210 && sum == expected);
}

static void the_last_iteration_leaves_its_values(void) {
  int one = 0, two = 0, both = 5, i, j, k;
  char three[3] = {0};
#pragma omp parallel
  {
#pragma omp for lastprivate(one, three) schedule(static)
    for (int l = 0; l < 101; ++l) one = 2 * l, three[0] = three[1] = three[2] = (char)l;
    CHECK(one == 200 && three[0] == 100 && three[2] == 100);
#pragma omp for lastprivate(two) schedule(monotonic : dynamic, 4)
    for (int l = 100; l > 0; l -= 3) two = l;
    CHECK(two == 1);
#pragma omp for firstprivate(both) lastprivate(both) schedule(static, 1)
    for (int l = 0; l < 100; ++l) both = l == 99 ? both % 5 + 70 : both + 5;
  }
  CHECK(both == 70);
#pragma omp parallel for schedule(guided) lastprivate(i)
  for (i = 0; i < 77; i += 2) CHECK(i % 2 == 0);
  CHECK(i == 78);
#pragma omp parallel for collapse(2) lastprivate(k) schedule(static, 2)
  for (i = 0; i < 9; ++i)
    for (j = 0; j < 4; ++j) k = 10 * i + j;
  CHECK(k == 83);
  int sections_left = 0;
#pragma omp parallel sections lastprivate(sections_left)
  {
#pragma omp section
    sections_left = 1;
#pragma omp section
    sections_left = 2;
#pragma omp section
    sections_left = 3;
  }
  CHECK(sections_left == 3);
  int conditional = -1;
#pragma omp parallel for lastprivate(conditional : conditional) schedule(static, 3)
  for (int l = 0; l < 300; ++l)
    if (l % 7 == 3) conditional = l;
  CHECK(conditional == 297);
}

int main(void) {
  for (int i = 0; i < 10; ++i) nests();
  an_inner_bound_may_be_of_the_outer();
  the_last_iteration_leaves_its_values();
  return verdict();
}
