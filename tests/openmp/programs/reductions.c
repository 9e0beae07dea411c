/* reduction: every operator, several variables, arrays, and a declared reduction. */
#include "check.h"
#include <complex.h>
#include <limits.h>
#include <omp.h>

typedef struct {
  long sum;
  int least, count;
} digest;

static void join(digest *into, const digest *from) {
  into->sum += from->sum;
  into->count += from->count;
  if (from->least < into->least) into->least = from->least;
}
#pragma omp declare reduction(digested : digest : join(&omp_out, &omp_in)) initializer(omp_priv = {0, INT_MAX, 0})

static void every_operator(int n) {
  int sum = 5, less = 5, product = 1, both = ~0, either = 0, odd = 0, every = 1, any = 0, least = INT_MAX, most = INT_MIN;
#pragma omp parallel for reduction(+ : sum) reduction(- : less) reduction(* : product) reduction(& : both)    \
    reduction(| : either) reduction(^ : odd) reduction(&& : every) reduction(|| : any) reduction(min : least) \
    reduction(max : most)
  for (int i = 1; i <= n; ++i) {
    sum += i;
    less -= i;
    product *= i % 10 == 0 ? 2 : 1;
    both &= ~(1 << i % 20);
    either |= 1 << i % 20;
    odd ^= i;
    every = every && i > 0;
    any = any || i == n;
    if (i * 7 % 101 < least) least = i * 7 % 101;
    if (i * 7 % 101 > most) most = i * 7 % 101;
  }
  CHECK(n == 100 && sum == 5055 && less == 5 - 5050 && product == 1024 && both == ~0xfffff && either == 0xfffff);
  CHECK(odd == 100 && every == 1 && any == 1 && least == 1 && most == 100);
}

#define OF(type, name)                                                                      \
  static void of_##name(void) {                                                             \
    type sum = 1, more = 0;                                                                 \
    PRAGMA(omp parallel for reduction(+ : sum, more) schedule(dynamic))                     \
    for (int i = 0; i < 15; ++i) {                                                          \
      sum += (type)i;                                                                       \
      more += 2;                                                                            \
    }                                                                                       \
    CHECK(sum == (type)106 && more == (type)30);                                            \
  }
OF(signed char, char)
OF(unsigned short, short)
OF(long long, long_long)
OF(unsigned long long, unsigned_long_long)
OF(float, float)
OF(double, double)
OF(long double, long_double)
OF(double complex, complex)

static void extremes(void) {
  double least = 1e9, most = -1e9;
  long long low = LLONG_MAX;
#pragma omp parallel for reduction(min : least, low) reduction(max : most)
  for (int i = -50; i <= 50; ++i) {
    if (i * 0.5 < least) least = i * 0.5;
    if (i * 0.25 > most) most = i * 0.25;
    if (i < low) low = i;
  }
  CHECK(least == -25 && most == 12.5 && low == -50);
}

static void arrays(int length) {
  int counts[7] = {0};
  double *sums = calloc((size_t)length, sizeof *sums);
  long large[300] = {0};
#pragma omp parallel for reduction(+ : counts, sums[ : length], large[10 : 200])
  for (int i = 0; i < 700; ++i) {
    counts[i % 7] += 1;
    sums[i % length] += i;
    large[10 + i % 200] += 1;
  }
  for (int i = 0; i < 7; ++i) CHECK(counts[i] == 100);
  double total = 0;
  for (int i = 0; i < length; ++i) total += sums[i];
  CHECK(total == 700 * 699 / 2);
  CHECK(large[9] == 0 && large[10] == 4 && large[109] == 4 && large[110] == 3 && large[209] == 3 && large[210] == 0);
  free(sums);
}

static void by_the_users_operator(void) {
  digest d = {0, INT_MAX, 0};
#pragma omp parallel for reduction(digested : d)
  for (int i = 1; i <= 100; ++i) {
    digest one = {i, 1000 - i, 1};
    join(&d, &one);
  }
  CHECK(d.sum == 5050 && d.count == 100 && d.least == 900);
}

/* Repeated reductions in loops of one region, and a reduction of the region itself. */
static void in_a_region(int rounds) {
  int sum = 0, members = 0;
#pragma omp parallel reduction(+ : members)
  {
    members += 1;
    for (int i = 1; i <= rounds; ++i) {
#pragma omp for reduction(+ : sum)
      for (int k = 0; k < 10; ++k) sum += k;
      CHECK(sum == 45 * i);
#pragma omp barrier
#pragma omp for reduction(+ : sum) nowait
      for (int k = 0; k < 10; ++k) sum += 0;
#pragma omp barrier
    }
#pragma omp sections reduction(+ : sum)
    {
      sum += 1;
#pragma omp section
      sum += 2;
#pragma omp section
      sum += 3;
    }
  }
  CHECK(members == asked() && sum == 45 * rounds + 6);
}

/* More constructs than the runtime learns the sizes of, one after the other without a barrier; of values, of arrays of a known
   size and of an unknown one, short and long. The runtime combines them in different ways, and may change them between rounds. */
#define ONE_OF_MANY(k)                                                                        \
  PRAGMA(omp for reduction(+ : sums[k]) nowait)                                               \
  for (int i = 0; i < 10; ++i) sums[k] += i;                                                  \
  PRAGMA(omp for reduction(+ : small[k][ : 3]) nowait)                                        \
  for (int i = 0; i < 9; ++i) small[k][i % 3] += i;                                           \
  PRAGMA(omp for reduction(+ : large[k][ : 200]) nowait)                                      \
  for (int i = 0; i < 200; ++i) large[k][i] += i;                                             \
  PRAGMA(omp for reduction(+ : of_length[k][ : length]) nowait)                               \
  for (int i = 0; i < 200; ++i) of_length[k][i % length] += i;
#define FIVE(k) ONE_OF_MANY(k) ONE_OF_MANY(k + 1) ONE_OF_MANY(k + 2) ONE_OF_MANY(k + 3) ONE_OF_MANY(k + 4)

static void many_without_barriers(int length, int rounds) {
  enum { constructs = 15 };
  static long sums[constructs], small[constructs][3], large[constructs][200], of_length[constructs][200];
  for (int k = 0; k < constructs; ++k) {
    sums[k] = 0;
    for (int i = 0; i < 200; ++i) small[k][i % 3] = large[k][i] = of_length[k][i] = 0;
  }
#pragma omp parallel
  for (int round = 0; round < rounds; ++round) {
    FIVE(0)
    FIVE(5)
    FIVE(10)
#pragma omp barrier
  }
  for (int k = 0; k < constructs; ++k) {
    CHECK(sums[k] == 45l * rounds);
    CHECK(small[k][0] == 9l * rounds && small[k][1] == 12l * rounds && small[k][2] == 15l * rounds);
    long total = 0;
    for (int i = 0; i < 200; ++i) {
      CHECK(large[k][i] == (long)i * rounds);
      total += of_length[k][i];
    }
    CHECK(total == 19900l * rounds);
  }
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    every_operator(100);
    of_char();
    of_short();
    of_long_long();
    of_unsigned_long_long();
    of_float();
    of_double();
    of_long_double();
    of_complex();
    extremes();
    arrays(70);
    by_the_users_operator();
  }
  in_a_region(episodes(500));
  many_without_barriers(5, episodes(100));
  many_without_barriers(150, episodes(100));
  return verdict();
}
