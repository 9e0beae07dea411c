/* for: loops that end at the limit of their type, where a runtime's own arithmetic must not overflow. */
#include "iterations.h"
#include <limits.h>
#include <omp.h>

#define EVERY_LIMIT(clause)                                                                                  \
  UP(clause, int, INT_MAX - 100, <, INT_MAX, 1, 100)                                                         \
  UP(clause, int, INT_MIN, <, INT_MIN + 100, 1, 100)                                                         \
  UP(clause, int, -1000000000, <, 1000000000, 20000000, 100)                                                     \
  UP(clause, unsigned, UINT_MAX - 100, <, UINT_MAX, 1, 100)                                                  \
  UP(clause, unsigned, 0, <, 4000000000u, 40000000u, 100)                                                    \
  UP(clause, long long, LLONG_MAX - 100, <, LLONG_MAX, 1, 100)                                               \
  UP(clause, long long, LLONG_MIN, <=, LLONG_MIN + 99, 1, 100)                                               \
  UP(clause, u64, ULLONG_MAX - 100, <, ULLONG_MAX, 1, 100)                                                   \
  UP(clause, u64, ULLONG_MAX - 101, <=, ULLONG_MAX - 2, 1, 100)                                              \
  UP(clause, u64, 0, <, 100ull << 57, 1ull << 57, 100)                                                         \
  UP(clause, u64, LLONG_MAX - 50ull, <, LLONG_MAX + 50ull, 1, 100)                                           \
  DOWN(clause, int, INT_MIN + 100, INT_MIN, 1, 100)                                                          \
  DOWN(clause, int, INT_MAX, INT_MAX - 100, 1, 100)                                                          \
  DOWN(clause, long long, LLONG_MIN + 100, LLONG_MIN, 1, 100)                                                \
  DOWN(clause, u64, 100, 0, 1, 100)                                                                          \
  DOWN(clause, u64, ULLONG_MAX, ULLONG_MAX - 100, 1, 100)

int main(void) {
  int chunk = 7, huge = INT_MAX;
  EVERY_LIMIT(schedule(static))
  EVERY_LIMIT(schedule(static, chunk))
#ifdef __clang__ /* GCC's code does not call the runtime for these, and its own sums overflow */
  unsigned vast = 3000000000u;
  EVERY_LIMIT(schedule(static, huge))
  UP(schedule(static, vast), unsigned, 0, <, 100, 1, 100)
  UP(schedule(static, vast), unsigned, 0, <, 4000000000u, 40000000u, 100)
#endif
  EVERY_LIMIT(schedule(dynamic))
  EVERY_LIMIT(schedule(dynamic, chunk))
  EVERY_LIMIT(schedule(dynamic, huge))
  EVERY_LIMIT(schedule(guided))
  EVERY_LIMIT(schedule(guided, chunk))
  omp_set_schedule(omp_sched_dynamic, 9);
  EVERY_LIMIT(schedule(runtime))
  omp_set_schedule(omp_sched_static, 9);
  EVERY_LIMIT(schedule(runtime))
  return verdict();
}
