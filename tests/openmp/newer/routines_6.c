/* Routines of OpenMP 6.0 and of its successor's drafts, as GCC's and LLVM's omp.h of 2026 declare them. */
#include "check.h"
#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
enum { invalid_device = -2, no_such_device = 5 };
#else
enum { invalid_device = -4, no_such_device = 5 };
#endif

int omp_get_device_from_uid(const char *);
const char *omp_get_uid_from_device(int);

static void uids(void) {
  const char *const host = omp_get_uid_from_device(omp_get_initial_device());
  CHECK(host != NULL && strlen(host) > 0 && omp_get_device_from_uid(host) == omp_get_initial_device());
  CHECK(omp_get_uid_from_device(-1) == host && omp_get_uid_from_device(invalid_device) == NULL);
  CHECK(omp_get_uid_from_device(no_such_device) == NULL);
  CHECK(omp_get_device_from_uid("no such device") == invalid_device && omp_get_device_from_uid(NULL) == invalid_device);
}

#ifndef __clang__ /* LLVM has none of these, or in its library for devices */
void *omp_target_memset(void *, int, size_t, int);
void *omp_target_memset_async(void *, int, size_t, int, int, void *);
void omp_get_device_distances(int, const int *, int *);
int omp_get_num_teams_dim(int);
int omp_get_team_num_dim(int);
int omp_get_num_threads_dim(int);
int omp_get_thread_num_dim(int);
int omp_get_thread_limit_dim(int);
int omp_get_supported_active_team_dims(int, bool);
int omp_get_supported_active_league_dims(int, bool);
int omp_get_supported_teams_dim(int, int);
int omp_get_supported_threads_dim(int, int);
enum { initial_device = -1, default_device = -5 };

static void memory(void) {
  char bytes[16] = "0123456789abcde";
  CHECK(omp_target_memset(bytes + 2, 'x', 3, initial_device) == bytes + 2 && strcmp(bytes, "01xxx56789abcde") == 0);
  CHECK(omp_target_memset(bytes, 'x', 0, 0) == bytes && bytes[0] == '0');
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(bytes)
    {
      usleep(1000);
      bytes[0] = 'y';
    }
    CHECK(omp_target_memset_async(bytes, 'z', 2, default_device, 0, NULL) == bytes);
#pragma omp taskwait
  }
  CHECK(strcmp(bytes, "zzxxx56789abcde") == 0);
}

static void distances(void) {
  int devices[] = {initial_device, 0, default_device, no_such_device, invalid_device}, distance[] = {7, 7, 7, 7, 7};
  omp_get_device_distances(5, devices, distance);
  CHECK(distance[0] == 0 && distance[1] == 0 && distance[2] == 0 && distance[3] == -1 && distance[4] == -1);
}

static void default_is_default(void) {
  omp_set_default_device(default_device);
  CHECK(omp_get_default_device() == 0 && omp_get_uid_from_device(default_device) != NULL);
  omp_set_default_device(no_such_device);
  omp_set_default_device(default_device);
  CHECK(omp_get_default_device() == no_such_device && omp_get_uid_from_device(default_device) == NULL);
  omp_set_default_device(0);
}

static void dimensions(void) {
  for (int native = 0; native < 2; ++native) {
    CHECK(omp_get_supported_active_team_dims(initial_device, native) == 1);
    CHECK(omp_get_supported_active_league_dims(initial_device, native) == 1);
  }
  CHECK(omp_get_supported_threads_dim(initial_device, 0) >= asked() && omp_get_supported_teams_dim(0, 0) >= 4);
#pragma omp teams num_teams(4) thread_limit(asked())
  {
    CHECK(omp_get_num_teams_dim(0) == omp_get_num_teams() && omp_get_team_num_dim(0) == omp_get_team_num());
#pragma omp parallel
    {
      CHECK(omp_get_thread_limit_dim(0) == omp_get_thread_limit());
      CHECK(omp_get_num_threads_dim(0) == omp_get_num_threads() && omp_get_thread_num_dim(0) == omp_get_thread_num());
      for (int d = 1; d < 12; ++d) {
        CHECK(omp_get_num_teams_dim(d) == 1 && omp_get_team_num_dim(d) == 0 && omp_get_thread_limit_dim(d) == 1);
        CHECK(omp_get_num_threads_dim(d) == 1 && omp_get_thread_num_dim(d) == 0);
        CHECK(omp_get_supported_threads_dim(0, d) == 1 && omp_get_supported_teams_dim(0, d) == 1);
      }
    }
  }
}
#endif

int main(void) {
  uids();
#ifndef __clang__
  memory();
  distances();
  default_is_default();
  dimensions();
#endif
  return verdict();
}
