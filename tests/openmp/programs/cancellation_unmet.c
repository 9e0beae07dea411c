/* A region that some members leave, while others meet no cancellation point: these go on to its end. Settings are read from the
   environment, so the program executes itself once more. */
#include "check.h"
#include <omp.h>
#include <string.h>
#include <unistd.h>

/* Thread 0 leaves the region. The others meet no cancellation point, and more constructs without a barrier than a team has places
   for. The iterations that would have been thread 0's are not executed, and nobody waits for them; the others keep their order.
 */
enum { MANY_LOOPS = 30, TRIPS = 99 };
static int executed[MANY_LOOPS][TRIPS], inside[MANY_LOOPS], latest[MANY_LOOPS];

static void execute(int loop, int i) { add(&executed[loop][i], 1); }
static void execute_in_turn(int loop, int i) {
  CHECK(__atomic_fetch_add(&inside[loop], 1, __ATOMIC_ACQUIRE) == 0 && latest[loop] <= i);
  latest[loop] = i;
  execute(loop, i);
  __atomic_fetch_sub(&inside[loop], 1, __ATOMIC_RELEASE);
}

#define WITHOUT_THREAD_0(name, ...)                                           \
  static void name(void) {                                                    \
    int went_on = 0;                                                          \
    memset(executed, 0, sizeof executed);                                     \
    memset(latest, 0, sizeof latest);                                         \
    _Pragma("omp parallel") {                                                 \
      if (omp_get_thread_num() == 0) {                                        \
        _Pragma("omp cancel parallel")                                        \
      }                                                                       \
      for (int k = 0; k < MANY_LOOPS; ++k) {                                  \
        __VA_ARGS__                                                           \
      }                                                                       \
      add(&went_on, 1);                                                       \
    }                                                                         \
    CHECK(went_on == asked() - 1);                                            \
    for (int k = 0; k < MANY_LOOPS; ++k)                                      \
      for (int i = 0; i < TRIPS; ++i) CHECK(executed[k][i] <= 1);             \
    int later[TRIPS] = {0}; /* the next region is whole */                    \
    _Pragma("omp parallel for schedule(dynamic)")                             \
    for (int i = 0; i < TRIPS; ++i) add(&later[i], 1);                        \
    for (int i = 0; i < TRIPS; ++i) CHECK(later[i] == 1);                     \
  }
#define LOOP(name, ...)                                                       \
  WITHOUT_THREAD_0(name, PRAGMA(omp for __VA_ARGS__ nowait)                   \
                   for (int i = 0; i < TRIPS; ++i) execute(k, i);)
LOOP(dynamic_without_thread_0, schedule(dynamic))
LOOP(monotonic_without_thread_0, schedule(monotonic : dynamic, 3))
LOOP(guided_without_thread_0, schedule(guided))
#undef LOOP
#define LOOP(name, ...)                                                       \
  WITHOUT_THREAD_0(name, PRAGMA(omp for ordered schedule(__VA_ARGS__) nowait) \
                   for (int i = 0; i < TRIPS; ++i) {                          \
                     _Pragma("omp ordered") execute_in_turn(k, i);            \
                   })
LOOP(ordered_without_thread_0, dynamic)
LOOP(ordered_cyclic_without_thread_0, static, 1)
LOOP(ordered_chunks_without_thread_0, static, 5)
LOOP(ordered_blocks_without_thread_0, static)
#undef LOOP
#define LOOP(name, ...)                                                       \
  WITHOUT_THREAD_0(name, PRAGMA(omp for ordered(1) schedule(__VA_ARGS__) nowait) \
                   for (int i = 0; i < TRIPS; ++i) {                          \
                     _Pragma("omp ordered depend(sink : i - 1)") execute(k, i); \
                     _Pragma("omp ordered depend(source)")                    \
                   })
LOOP(doacross_without_thread_0, dynamic)
LOOP(doacross_cyclic_without_thread_0, static, 1)
LOOP(doacross_blocks_without_thread_0, static)
#undef LOOP
WITHOUT_THREAD_0(collapsed_doacross_without_thread_0,
                 _Pragma("omp for ordered(2) collapse(1) schedule(static, 2) nowait")
                 for (int i = 0; i < TRIPS / 3; ++i)
                   for (int j = 0; j < 3; ++j) {
                     _Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)") execute(k, 3 * i + j);
                     _Pragma("omp ordered depend(source)")
                   })
WITHOUT_THREAD_0(sections_without_thread_0, _Pragma("omp sections nowait") {
  _Pragma("omp section") execute(k, 0);
  _Pragma("omp section") execute(k, 1);
})
WITHOUT_THREAD_0(single_without_thread_0, _Pragma("omp single nowait") execute(k, 0);)

static void without_thread_0(void) {
  dynamic_without_thread_0();
  monotonic_without_thread_0();
  guided_without_thread_0();
  ordered_without_thread_0();
  ordered_cyclic_without_thread_0();
  ordered_chunks_without_thread_0();
  ordered_blocks_without_thread_0();
  doacross_without_thread_0();
  doacross_cyclic_without_thread_0();
  doacross_blocks_without_thread_0();
  collapsed_doacross_without_thread_0();
  sections_without_thread_0();
  single_without_thread_0();
}

int main(int count, char **arguments) {
  const char *before = getenv("OMP_CANCELLATION");
  if (before == NULL || strcmp(before, "true") != 0) {
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", arguments);
    perror("exec");
    return 2;
  }
  (void)count;
  for (int round = 0; round < episodes(10); ++round) without_thread_0();
  return verdict();
}
