/* Thread affinity by OMP_PROC_BIND, OMP_PLACES and the proc_bind clause, also in nested regions. */
#define _GNU_SOURCE
#include "parts.h"
#include <omp.h>
#include <pthread.h>
#include <sched.h>

static int places; /* {a},{b},...: one for each processor, at most eight */
static char places_named[64 + 8 * 8];
static int processors[8];

static void find_places(void) {
  const char *given = getenv("OMP_PLACES");
  if (given != NULL) {
    for (const char *at = given; (at = strchr(at, '{')) != NULL; ++at) processors[places++] = atoi(at + 1);
    return;
  }
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  for (int p = 0; p < CPU_SETSIZE && places < 8; ++p)
    if (CPU_ISSET(p, &mask)) processors[places++] = p;
  int length = sprintf(places_named, "OMP_PLACES=");
  for (int p = 0; p < places; ++p) length += sprintf(places_named + length, "%s{%d}", p > 0 ? "," : "", processors[p]);
}

/* Whether this thread's affinity mask is the processor of its place. */
static int stands(int place) {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  return omp_get_place_num() == place && CPU_COUNT(&mask) == 1 && CPU_ISSET(processors[place], &mask);
}

/* Consecutive threads are on consecutive places from the primary thread's on, the same number on each. If the places do not
 * divide the threads evenly, runtimes differ in which places get one more. */
static void check_row(const int *place, int team, int first, int count) {
  int threads[8] = {0}, changes = 0;
  for (int n = 0; n < team; ++n) {
    ++threads[place[n]];
    if (n == 0 || place[n] == place[n - 1]) continue;
    CHECK(place[n] == first + (place[n - 1] - first + 1) % count);
    ++changes;
  }
  for (int p = first; p < first + count; ++p) CHECK(threads[p] >= (team >= count));
  if (team > count && team % count != 0) return;
  CHECK(changes == (team < count ? team : count) - 1);
  for (int p = first; p < first + count; ++p) CHECK(threads[p] == team / count || (team < count && threads[p] == 1));
}

static void closely(void) {
  CHECK(omp_get_proc_bind() == omp_proc_bind_close && omp_get_num_places() == places);
  for (int p = 0; p < places; ++p) {
    int id = -1;
    omp_get_place_proc_ids(p, &id);
    CHECK(omp_get_place_num_procs(p) == 1 && id == processors[p]);
  }
  CHECK(omp_get_place_num_procs(-1) == 0 && omp_get_place_num_procs(places) == 0);
  static const int large[] = {17, 32, 48}; /* whose members are made on their places */
  for (int i = 1; i <= 2 * places + 4; ++i) {
    int place[64], team = i <= 2 * places + 1 ? i : large[i - 2 * places - 2];
#pragma omp parallel num_threads(team)
    {
      int n = omp_get_thread_num(), partition[8];
      place[n] = omp_get_place_num();
      CHECK(stands(place[n]));
      CHECK(omp_get_partition_num_places() == places);
      omp_get_partition_place_nums(partition);
      for (int p = 0; p < places; ++p) CHECK(partition[p] == p);
    }
    CHECK(place[0] == 0 && stands(0));
    check_row(place, team, 0, places);
  }
}

static void clauses(void) {
  int team = places < 2 ? 2 : places;
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(team) proc_bind(master)
    CHECK(stands(0) && omp_get_partition_num_places() == places);
#pragma omp parallel num_threads(team) proc_bind(close)
    CHECK(stands(omp_get_thread_num() % places) && omp_get_partition_num_places() == places);
#pragma omp parallel num_threads(team) proc_bind(spread)
    {
      CHECK(stands(omp_get_thread_num() % places) && omp_get_partition_num_places() == 1);
      int own = -1;
      omp_get_partition_place_nums(&own);
      CHECK(own == omp_get_place_num());
    }
#pragma omp parallel for num_threads(team) proc_bind(master) schedule(dynamic)
    for (int k = 0; k < team; ++k) CHECK(stands(0));
#pragma omp parallel if (i < 0) proc_bind(spread)
    CHECK(stands(0));
  }
}

static void nested(void) {
  CHECK(omp_get_proc_bind() == omp_proc_bind_spread);
#pragma omp parallel num_threads(2)
  {
    int own = omp_get_place_num(), partition[8], many = omp_get_partition_num_places(), row[64];
    omp_get_partition_place_nums(partition);
    CHECK(many == (places == 1 ? 1 : omp_get_thread_num() == 0 ? (places + 1) / 2 : places / 2));
    CHECK(own == (places == 1 || omp_get_thread_num() == 0 ? 0 : (places + 1) / 2) && own == partition[0]);
    CHECK(omp_get_proc_bind() == omp_proc_bind_close);
    for (int team = 1; team <= 4; ++team) {
#pragma omp parallel num_threads(team)
      {
        CHECK(omp_get_proc_bind() == omp_proc_bind_master);
        row[omp_get_thread_num()] = omp_get_place_num();
        CHECK(stands(omp_get_place_num()) && omp_get_partition_num_places() == many);
      }
      CHECK(row[0] == own && stands(own));
      check_row(row, team, partition[0], many);
    }
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(2)
    CHECK(stands(own)); /* the third level's policy, and inactive regions count */
  }
}

static void *begin_hosted(void *nothing) {
  (void)nothing;
#pragma omp parallel num_threads(2)
  CHECK(stands(omp_get_place_num()) && omp_get_proc_bind() != omp_proc_bind_false);
  return NULL;
}

static void hosts(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_t other;
    CHECK(pthread_create(&other, NULL, begin_hosted, NULL) == 0);
    pthread_join(other, NULL);
#pragma omp parallel num_threads(places)
    CHECK(stands(omp_get_thread_num()));
  }
}

static void unbound(void) {
  cpu_set_t before, now;
  sched_getaffinity(0, sizeof before, &before);
  CHECK(omp_get_proc_bind() == omp_proc_bind_false);
#pragma omp parallel num_threads(3) proc_bind(master) private(now)
  {
    sched_getaffinity(0, sizeof now, &now);
    CHECK(CPU_EQUAL(&before, &now) && omp_get_proc_bind() == omp_proc_bind_false);
  }
}

/* Barriers and regions whose members have a processor each, and others whose members share processors. */
static void barriers_on_places(void) {
  for (int round = 0; round < 20; ++round)
    for (int how = 0; how < 2; ++how) {
      int arrived = 0, team = round % 5 + 1;
#define BODY                                          \
  for (int episode = 1; episode <= 10; ++episode) {   \
    add(&arrived, 1);                                 \
    PRAGMA(omp barrier)                               \
    CHECK(arrived == episode * team);                 \
    PRAGMA(omp barrier)                               \
  }
      if (how == 0) {
#pragma omp parallel num_threads(team) proc_bind(spread)
        BODY
      } else {
#pragma omp parallel num_threads(team) proc_bind(master)
        BODY
      }
    }
}

int main(int argc, char **argv) {
  find_places();
  const struct part parts[] = {
      {"close", closely, {"OMP_PROC_BIND=close", places_named}},
      {"clauses", clauses, {"OMP_PROC_BIND=close", places_named}},
      {"nested", nested, {"OMP_PROC_BIND=spread,close,master", places_named, "OMP_MAX_ACTIVE_LEVELS=4"}},
      {"hosts", hosts, {"OMP_PROC_BIND=true", places_named}},
      {"unbound", unbound, {"OMP_PROC_BIND=false", places_named}},
      {"barriers", barriers_on_places, {"OMP_PROC_BIND=close", places_named}},
  };
  return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
