// Regions that last, while whose members may move at barriers: what they do stays right.
#define _GNU_SOURCE
#include "binding.h"
#include "driving_thread.h"
#include "programs/check.h"

#include <omp.h>

enum { most_members = 64, lasting_regions = 3 };
static long drivers[most_members];
static int fewest = most_members, most;

/// On how many kernel threads the members have been.
static int count_drivers(int members) {
  int distinct = 0;
  for (int m = 0; m < members; ++m) {
    int is_first = 1;
    for (int before = 0; before < m; ++before) is_first &= drivers[before] != drivers[m];
    distinct += is_first;
  }
  if (distinct < fewest) fewest = distinct;
  if (distinct > most) most = distinct;
  return distinct;
}

/// Of a region: several processors at first, then one, then all of them again.
enum { spread, alone, spread_again, followed };
static int follow(int phase, int on, const cpu_set_t *mask) {
  const cpu_set_t first = first_of(mask);
  if ((on == 1) != (phase == alone)) return phase;
  if (phase != spread_again) bind_all_to(phase == spread ? &first : mask);
  return phase + 1;
}

static int seen[most_members], next, in_order, done, turn;
static long sum;

static void barriers(int me, int members, int step) {
  seen[me] = step;
#pragma omp barrier
  for (int m = 0; m < members; ++m) CHECK(seen[m] == step);
#pragma omp barrier
}

static void loops(int me, int step) {
#pragma omp single
  sum = next = 0, in_order = 1;
#pragma omp for reduction(+ : sum) schedule(dynamic, 1)
  for (int i = 0; i < 16; ++i) sum += i + step;
  if (me == 0) CHECK(sum == 120 + 16L * step);
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < 8; ++i)
#pragma omp ordered
    if (next++ != i) in_order = 0;
  CHECK(in_order == 1);
}

static void tasks(void) {
#pragma omp single
  for (int i = done = 0; i < 8; ++i)
#pragma omp task
  {
#pragma omp atomic
    ++done;
  }
  CHECK(done == 8);
#pragma omp barrier
}

static void nested(void) {
  int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
  inner += omp_get_level();
  CHECK(inner == 4 || inner == 2);
}

/// Each waits for the one before in a loop of its own.
static void spin(int me, int members) {
#pragma omp single
  turn = 0;
  for (int now = -1; now != me;) {
#pragma omp atomic read
    now = turn;
  }
#pragma omp atomic write
  turn = me + 1;
#pragma omp barrier
  CHECK(turn == members);
}

/// usage: lasting SECONDS [bound]: so long is each of the regions, or until its members have followed the processors on which the
/// process may run. Says on how many kernel threads the members have been at least, and at most, and in how many regions they
/// have followed
int main(int count, char **words) {
  const double seconds = count > 1 ? atof(words[1]) : 0;
  const int is_bound = count > 2;
  int have_followed = 0;
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  omp_set_max_active_levels(2);
  for (int r = 0; r < lasting_regions; ++r) {
    const double end = omp_get_wtime() + seconds;
    int goes_on = 1, phase = spread;
#pragma omp parallel
    {
      const int me = omp_get_thread_num(), members = omp_get_num_threads();
      for (int step = 1; goes_on; ++step) {
        drivers[me] = driving_thread();
        barriers(me, members, step);
        if (me == 0) {
          const int on = count_drivers(members);
          if (is_bound) phase = follow(phase, on, &mask);
        }
        if (step % 16 == 0) loops(me, step);
        if (step % 64 == 0) tasks();
        if (step % 1024 == 0) nested(), spin(me, members);
#pragma omp barrier
        if (me == 0) goes_on = phase != followed && omp_get_wtime() < end;
#pragma omp barrier
      }
    }
    have_followed += phase == followed;
  }
  printf("from %d to %d\n", fewest, most);
  if (is_bound) printf("followed in %d of %d\n", have_followed, lasting_regions);
  return verdict();
}
