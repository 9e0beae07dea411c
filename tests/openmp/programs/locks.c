/* Locks and nest locks: held by one task at a time, tried without waiting, initialised with hints. */
#include "check.h"
#include <omp.h>

static void exclude(omp_lock_t *lock, int rounds) {
  int count = 0, inside = 0;
#pragma omp parallel
  for (int i = 0; i < rounds; ++i) {
    omp_set_lock(lock);
    CHECK(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
    ++count;
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    omp_unset_lock(lock);
    while (!omp_test_lock(lock)) {
#pragma omp taskyield
    }
    ++count;
    omp_unset_lock(lock);
  }
  CHECK(count == 2 * rounds * asked());
}

static void nest(omp_nest_lock_t *lock, int rounds) {
  int count = 0;
#pragma omp parallel
  for (int i = 0; i < rounds; ++i) {
    omp_set_nest_lock(lock);
    omp_set_nest_lock(lock);
    CHECK(omp_test_nest_lock(lock) == 3);
    ++count;
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
    ++count;
    omp_unset_nest_lock(lock);
  }
  CHECK(count == 2 * rounds * asked());
}

/* A task owns a nest lock: another task finds it held, even if the same thread executes that task. */
static void of_tasks(omp_nest_lock_t *lock) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_nest_lock(lock);
#pragma omp task shared(lock)
    CHECK(omp_test_nest_lock(lock) == 0);
#pragma omp task if (0) shared(lock)
    CHECK(omp_test_nest_lock(lock) == 0);
#pragma omp taskwait
#pragma omp parallel num_threads(1)
    CHECK(omp_test_nest_lock(lock) == 0); /* an implicit task */
    CHECK(omp_test_nest_lock(lock) == 2);
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
#pragma omp task shared(lock)
    {
      omp_set_nest_lock(lock);
      CHECK(omp_test_nest_lock(lock) == 2);
      omp_unset_nest_lock(lock);
      omp_unset_nest_lock(lock);
    }
  }
}

static void another_finds_it_held(void) {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
  CHECK(omp_test_lock(&lock));
  omp_unset_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      CHECK(omp_test_nest_lock(&nested) == 1);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 1) CHECK(!omp_test_lock(&lock) && omp_test_nest_lock(&nested) == 0);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      omp_unset_lock(&lock);
      omp_unset_nest_lock(&nested);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      CHECK(omp_test_lock(&lock) && omp_test_nest_lock(&nested) == 1);
      omp_unset_lock(&lock);
      omp_unset_nest_lock(&nested);
    }
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
}

/* A task may hold a lock across regions, and many locks exist at once. */
static void many(void) {
  enum { LOCKS = 200 };
  omp_lock_t locks[LOCKS];
  int counts[LOCKS] = {0};
  for (int i = 0; i < LOCKS; ++i) omp_init_lock(&locks[i]);
  omp_set_lock(&locks[0]);
#pragma omp parallel
  for (int i = 1; i < LOCKS; ++i) {
    omp_set_lock(&locks[i]);
    ++counts[i];
    omp_unset_lock(&locks[i]);
  }
  omp_unset_lock(&locks[0]);
  for (int i = 1; i < LOCKS; ++i) CHECK(counts[i] == asked());
  for (int i = 0; i < LOCKS; ++i) omp_destroy_lock(&locks[i]);
}

static void with_a_hint(int hint, int rounds) {
  omp_lock_t lock;
  omp_nest_lock_t nested;
#ifdef __clang__ /* GCC 12's omp.h has no hints for locks */
  static const omp_sync_hint_t HINTS[] = {omp_sync_hint_none, omp_sync_hint_uncontended, omp_sync_hint_contended,
                                          omp_sync_hint_speculative, omp_sync_hint_nonspeculative};
  if (hint > 0) {
    omp_init_lock_with_hint(&lock, HINTS[hint - 1]);
    omp_init_nest_lock_with_hint(&nested, HINTS[hint - 1]);
  } else
#endif
  {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
  }
  exclude(&lock, rounds);
  nest(&nested, rounds);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
}

int main(void) {
  for (int hint = 0; hint <= 5; ++hint) with_a_hint(hint, episodes(500));
  another_finds_it_held();
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  of_tasks(&lock);
  omp_destroy_nest_lock(&lock);
  many();
  return verdict();
}
