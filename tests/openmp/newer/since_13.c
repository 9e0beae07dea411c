/* What the code of GCC 13 to 16 calls, and no older one. */
#include "check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

void GOMP_taskwait_depend_nowait(void **depend);
void *GOMP_alloc(size_t alignment, size_t bytes, uintptr_t allocator);
void GOMP_free(void *, uintptr_t allocator);
void GOMP_add_alloc(void *);
_Bool GOMP_is_alloc(void *);
void *GOMP_target_map_indirect_ptr(void *);
void GOMP_interop(int device, int begun, void ***, const int *, const char **, int used, void **, int ended, void ***,
                  unsigned flags, void **depend);
int omp_in_explicit_task(void);
int omp_control_tool(int command, int modifier, void *);

/* taskwait depend(inout: first) depend(in: second) nowait: tasks behind it wait for those before it, and nobody else does. */
static void waits_for_nobody(void) {
  int first = 0, second = 0, third = 0, behind = 0, goes_on = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : second) shared(second, goes_on)
    {
      while (omp_get_num_threads() > 1 && !__atomic_load_n(&goes_on, __ATOMIC_ACQUIRE)) usleep(100);
      second = 1;
    }
    void *depend[] = {(void *)2, (void *)1, &first, &second};
    GOMP_taskwait_depend_nowait(depend);
    __atomic_store_n(&goes_on, 1, __ATOMIC_RELEASE);
#pragma omp task depend(in : first) shared(second, behind)
    behind = second;
#pragma omp task depend(out : third) shared(third)
    third = 1;
  }
  CHECK(behind == 1 && third == 1);
}

static void known_memory(void) {
  void *allocated[100];
  for (int i = 0; i < 100; ++i) {
    allocated[i] = GOMP_alloc(64, (size_t)i, 0);
    GOMP_add_alloc(allocated[i]);
  }
  GOMP_add_alloc(NULL);
  CHECK(!GOMP_is_alloc(NULL) && !GOMP_is_alloc(&allocated));
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    CHECK(GOMP_is_alloc(allocated[i]));
    GOMP_free(allocated[i], 0);
    CHECK(!GOMP_is_alloc(allocated[i]));
  }
}

static void no_foreign_runtime(void) {
  CHECK(GOMP_target_map_indirect_ptr((void *)no_foreign_runtime) == (void *)no_foreign_runtime);
  void *first = &first, *second = &second, *used = NULL, **begun[] = {&first}, **ended[] = {&second};
  int types[] = {1};
  int before = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : before) shared(before)
    {
      usleep(1000);
      before = 1;
    }
    void *depend[] = {(void *)1, (void *)1, &before};
    GOMP_interop(-5, 1, begun, types, NULL, 1, &used, 1, ended, 0, depend);
    CHECK(before == 1);
  }
  CHECK(first == NULL && second == NULL && used == NULL);
}

static void tasks(void) {
  CHECK(!omp_in_explicit_task());
#pragma omp parallel
#pragma omp task
  CHECK(omp_in_explicit_task());
  CHECK(omp_control_tool(1, 0, NULL) == -2);
}

int main(void) {
  for (int round = 0; round < 20; ++round) waits_for_nobody();
  known_memory();
  no_foreign_runtime();
  tasks();
  return verdict();
}
