/* target on the host: private copies, order, leagues, and parallel regions inside a target region. */
#include "check.h"
#include <omp.h>
#include <string.h>

typedef double line __attribute__((vector_size(32)));

static void copies(int n) {
  char small = 3;
  int field[50], sized[n], sum = 0, right = 0;
  line vector = {1, 2, 3, 4};
  struct {
    char first;
    long double last;
  } mixed = {1, 2};
  for (int i = 0; i < 50; ++i) field[i] = i;
  for (int i = 0; i < n; ++i) sized[i] = i;
#pragma omp target firstprivate(small, field, sized, vector, mixed) map(tofrom : sum, right)
  {
    volatile line *at = &vector;
    right = (size_t)at % 32 == 0 && vector[3] == 4 && mixed.first == 1 && mixed.last == 2;
    for (int i = 0; i < 50; ++i) sum += field[i];
    for (int i = 0; i < n; ++i) sum += sized[i];
    memset(field, 0, sizeof field);
    sized[0] = 77;
    sum += small++;
  }
  CHECK(right == 1 && sum == 1225 + n * (n - 1) / 2 + 3 && small == 3 && field[49] == 49 && sized[0] == 0);
}

static void sections(void) {
  int *field = malloc(40 * sizeof(int));
  for (int i = 0; i < 40; ++i) field[i] = i;
#pragma omp target data map(tofrom : field[10 : 20])
  {
#pragma omp target map(field[10 : 20])
    for (int i = 10; i < 30; ++i) field[i] += 100;
#pragma omp target update from(field[10 : 20])
    CHECK(field[10] == 110 && field[29] == 129);
  }
#pragma omp target enter data map(to : field[0 : 40])
#pragma omp target
  field[0] = 5;
#pragma omp target exit data map(from : field[0 : 40])
  CHECK(field[0] == 5 && field[9] == 9 && field[30] == 30);
  free(field);
}

static void in_order(void) {
#pragma omp parallel
#pragma omp single
  {
    int value = 0, executed = 0, ten = 10;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(executed)
    add(&executed, 1);
#pragma omp target nowait depend(inout : value) map(tofrom : value)
    value += 1;
#pragma omp target nowait depend(inout : value) map(tofrom : value) firstprivate(ten)
    value *= ten;
    ten = 0;
#pragma omp target update to(value) nowait depend(inout : value)
    value = 1; /* executed before all of the tasks above */
    omp_fulfill_event(event);
#pragma omp target depend(in : value) map(tofrom : value)
    value += 5;
    CHECK(value == 25);
#pragma omp taskwait
    CHECK(executed == 1);
  }
}

static void leagues(void) {
  int field[90] = {0}, sum = 0, teams = 0, inner = 0;
#pragma omp target teams num_teams(3) thread_limit(2) map(tofrom : teams, inner)
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 3 && omp_get_team_num() < omp_get_num_teams());
    add(&teams, 1);
#pragma omp parallel
    {
      CHECK(omp_get_num_threads() <= 2);
      add(&inner, 1);
    }
  }
  CHECK(teams >= 1 && teams <= 3 && inner >= teams && inner <= 2 * teams);
#pragma omp target teams distribute parallel for num_teams(4) map(tofrom : field, sum) reduction(+ : sum)
  for (int i = 0; i < 90; ++i) {
    field[i] += 1;
    sum += i;
  }
  for (int i = 0; i < 90; ++i) CHECK(field[i] == 1);
  CHECK(sum == 4005 && omp_get_num_teams() == 1);
}

/* The limit applies to the region, and to nothing after it. */
static void limited(int limit) {
  int inside = 0, threads = 0, before = omp_get_thread_limit(), after = 0;
#pragma omp target thread_limit(limit) map(tofrom : inside, threads)
  {
    inside = omp_get_thread_limit();
#pragma omp parallel
    {
#pragma omp single
      threads = omp_get_num_threads();
    }
  }
  CHECK(inside == limit && threads >= 1 && threads <= limit);
#pragma omp teams num_teams(1) shared(after)
#pragma omp parallel num_threads(1)
  after = omp_get_thread_limit();
  CHECK(after == before && omp_get_thread_limit() == before);
#pragma omp target parallel thread_limit(limit) map(tofrom : threads) nowait
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
#pragma omp taskwait
  CHECK(threads >= 1 && threads <= limit && omp_get_thread_limit() == before);
}

/* Each thread of a region that encounters a target construct executes its own target region. */
static void within_regions(void) {
  int done = 0, before = omp_get_max_threads();
#pragma omp parallel
  {
    int own = omp_get_thread_num();
#pragma omp target map(tofrom : own, done)
    {
      own += 1;
      add(&done, 1);
    }
    CHECK(own == omp_get_thread_num() + 1);
  }
  CHECK(done == asked() && omp_get_max_threads() == before);
}

#ifndef __clang__ /* LLVM has these routines in its library for devices */
static void memory(void) {
  const int initial = omp_get_initial_device();
  CHECK(initial == omp_get_num_devices() && omp_get_device_num() == initial);
  int *a = omp_target_alloc(24 * sizeof(int), initial), b[24];
  CHECK(a != NULL && omp_target_is_present(a, initial));
  for (int i = 0; i < 24; ++i) b[i] = i;
  CHECK(omp_target_memcpy(a, b, sizeof b, 0, 0, initial, initial) == 0 && a[23] == 23);
  CHECK(omp_target_memcpy(a, b, 8, 4, 40, initial, initial) == 0 && a[0] == 0 && a[1] == 10 && a[2] == 11 && a[3] == 3);
  memset(a, 0, sizeof b);
  const size_t volume[] = {2, 3}, to[] = {1, 0}, from[] = {0, 2}, to_sizes[] = {4, 6}, from_sizes[] = {3, 8};
  CHECK(omp_target_memcpy_rect(a, b, sizeof(int), 2, volume, to, from, to_sizes, from_sizes, initial, initial) == 0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) CHECK(a[6 * i + j] == (i >= 1 && i <= 2 && j < 3 ? 8 * (i - 1) + j + 2 : 0));
  CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, initial, initial) >= 3);
  CHECK(omp_target_memcpy(a, b, 4, 0, 0, initial + 5, initial) != 0);
  omp_target_free(a, initial);
}
#else
static void memory(void) {}
#endif

int main(void) {
  for (int i = 0; i < 5; ++i) {
    copies(9);
    sections();
    in_order();
    leagues();
    limited(1);
    limited(2);
    within_regions();
    memory();
  }
  return verdict();
}
