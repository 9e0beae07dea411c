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
  const char *const uid = omp_get_uid_from_device(omp_get_initial_device());
  CHECK(uid != NULL && strlen(uid) > 0 && omp_get_device_from_uid(uid) == omp_get_initial_device());
  CHECK(omp_get_uid_from_device(-1) == uid && omp_get_uid_from_device(invalid_device) == NULL);
  CHECK(omp_get_uid_from_device(no_such_device) == NULL);
  CHECK(omp_get_device_from_uid("no such device") == invalid_device && omp_get_device_from_uid(NULL) == invalid_device);
}

#ifdef __clang__
#include <stdint.h>
typedef uintptr_t space;
enum { none, a_space = 99 };
space omp_get_devices_memspace(int, const int *, space);
space omp_get_device_and_host_memspace(int, space);
space omp_get_devices_all_memspace(space);
omp_allocator_handle_t omp_get_devices_and_host_allocator(int, const int *, space);
omp_allocator_handle_t omp_get_device_allocator(int, space);
int omp_get_memspace_num_resources(space);
size_t omp_get_memspace_pagesize(space);
space omp_get_submemspace(space, int, const int *);
int omp_is_free_agent(void);
int omp_ancestor_is_free_agent(int);
int omp_get_max_progress_width(int);
int omp_get_device_num_teams(int);
void omp_set_device_num_teams(int, int);
int omp_get_device_teams_thread_limit(int);
void omp_set_device_teams_thread_limit(int, int);

static void spaces(void) {
  const int initial[] = {omp_get_initial_device(), -1}, other[] = {omp_get_initial_device(), no_such_device};
  CHECK(omp_get_devices_memspace(2, initial, a_space) == a_space && omp_get_devices_memspace(2, other, a_space) == none);
  CHECK(omp_get_device_and_host_memspace(-1, a_space) == a_space && omp_get_devices_all_memspace(a_space) == a_space);
  CHECK(omp_get_device_and_host_memspace(no_such_device, a_space) == none && omp_get_devices_all_memspace(none) == none);
  CHECK(omp_get_device_allocator(no_such_device, a_space) == omp_null_allocator);
  const omp_allocator_handle_t from = omp_get_devices_and_host_allocator(2, initial, a_space);
  CHECK(from != omp_null_allocator && from == omp_get_device_allocator(-1, a_space));
  void *const memory = omp_alloc(100, from);
  CHECK(memory != NULL);
  omp_free(memory, from);
  CHECK(omp_get_memspace_num_resources(a_space) == 1 && omp_get_memspace_num_resources(none) == 0);
  CHECK(omp_get_memspace_pagesize(a_space) == (size_t)sysconf(_SC_PAGESIZE));
  const int resources[] = {0, 1};
  CHECK(omp_get_submemspace(a_space, 1, resources) == a_space && omp_get_submemspace(a_space, 2, resources) == none);
}

static void threads_and_teams(void) {
  CHECK(omp_get_max_progress_width(-1) == 1);
#pragma omp parallel
#pragma omp task
  CHECK(!omp_is_free_agent() && !omp_ancestor_is_free_agent(1));
  omp_set_device_num_teams(3, -1);
  omp_set_device_teams_thread_limit(2, omp_get_initial_device());
  omp_set_device_num_teams(7, no_such_device);
  CHECK(omp_get_device_num_teams(0) == 3 && omp_get_max_teams() == 3);
  CHECK(omp_get_device_teams_thread_limit(-1) == 2 && omp_get_teams_thread_limit() == 2);
}
#else /* LLVM has none of these, or in its library for devices */
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
#ifdef __clang__
  spaces();
  threads_and_teams();
#else
  memory();
  distances();
  default_is_default();
  dimensions();
#endif
  return verdict();
}
