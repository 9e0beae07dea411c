// What a construct of the runtime waits for does not change errno, whether members poll, switch or sleep there.
#include "team.hpp"

#include <mutex>

#include <semaphore.h>

namespace {

/// Executes what may sleep, with every value of errno in turn.
template <class Construct>
void keeps_errno(const char* name, Construct construct) {
  subject(name, [&] {
    team([&](int me) {
      for (int i = 0; i < 20; ++i) {
        if (i % members == me) i % 2 == 0 ? sleep_for(0.004) : compute(0.004);  // the others wait for this one
        const int own = 1 + (me * 20 + i) % 120;
        errno = own;
        construct(me);
        if (const int now = errno; now != own) {
          std::fprintf(stderr, "member %d: errno was %d, now %d\n", me, own, now);
          CHECK(now == own);
        }
      }
    });
  });
}

#if defined(WEIR_TEST_THREADS)
std::mutex lock;
sem_t places;
void acquire_place() { CHECK(sem_wait(&places) == 0); }
void release_place() { CHECK(sem_post(&places) == 0); }
void yield() { sched_yield(); }
#elif !defined(_OPENMP)
weir::mutex lock;
weir::semaphore places(2);
void acquire_place() { places.acquire(); }
void release_place() { places.release(); }
void yield() { weir::this_member::yield(); }
#endif

}  // namespace

int main() {
#if defined(WEIR_TEST_THREADS)
  sem_init(&places, 0, 2);
#endif
  keeps_errno("barrier", [](int) { meet(); });
#if defined(_OPENMP)
  keeps_errno("critical", [](int me) {
#pragma omp critical
    {
      const int own = errno;
      if (me == 1) sleep_for(0.002);
      compute(0.0005);
      errno = own;
    }
  });
  keeps_errno("single", [](int) {
#pragma omp single
    {
      const int own = errno;
      sleep_for(0.002);
      errno = own;
    }
  });
  keeps_errno("loop", [](int) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 2 * members; ++i) {
      const int own = errno;
      if (i % members == 0) sleep_for(0.001);
      errno = own;
    }
  });
  keeps_errno("ordered", [](int) {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < members; ++i) {
#pragma omp ordered
      {
        const int own = errno;
        if (i % 3 == 0) sleep_for(0.0005);
        errno = own;
      }
    }
  });
  keeps_errno("tasks", [](int) {
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      {
        const int own = errno;
        sleep_for(0.0002);
        errno = own;
      }
    }
#pragma omp taskwait
  });
  keeps_errno("tasks and a barrier", [](int me) {
    if (me == 0) {
      for (int i = 0; i < 2 * members; ++i) {
#pragma omp task
        {
          const int own = errno;
          compute(0.0002);
          errno = own;
        }
      }
    }
    meet();
  });
  keeps_errno("reduction", [](int) {
    static int sum;
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
  });
#else
  keeps_errno("mutex", [](int me) {
    const std::lock_guard guard(lock);
    const int own = errno;
    if (me == 1) sleep_for(0.002);
    compute(0.0005);
    errno = own;
  });
  keeps_errno("semaphore", [](int) {
    acquire_place();
    const int own = errno;
    sleep_for(0.0005);
    errno = own;
    release_place();
  });
  keeps_errno("yield", [](int) { yield(); });
#endif
  // Nor what takes a member from its processor meanwhile.
  keeps_errno("computing", [](int) { compute(0.01); });
  return verdict();
}
