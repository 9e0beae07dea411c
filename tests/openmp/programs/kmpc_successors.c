/* What LLVM's runtime shows of the graph of dependences: the tasks that await a task. */
#include "check.h"
#include "kmpc.h"
#include <omp.h>
#include <stddef.h>
#include <unistd.h>

struct list;
typedef struct {
  struct list *successors;
} node;
typedef struct list {
  node *of;
  struct list *next;
} list;
typedef struct {
  size_t at, bytes;
  unsigned char kind;
} dependence;
enum { tied = 1, in = 1, out = 3, in_out_set = 8 };
typedef int routine(int, void *);

void *__kmpc_omp_task_alloc(place *, int, int flags, size_t bytes, size_t shared, routine *);
int __kmpc_omp_task_with_deps(place *, int, void *, int, dependence *, int, dependence *);
int __kmpc_omp_task(place *, int, void *);
int __kmpc_omp_taskwait(place *, int);
node *__kmpc_task_get_depnode(void *);
list *__kmpc_task_get_successors(void *);

static int goes_on, executed;

static int body(int thread, void *task) {
  (void)thread, (void)task;
  while (!__atomic_load_n(&goes_on, __ATOMIC_ACQUIRE)) usleep(100);
  add(&executed, 1);
  return 0;
}

static void *task(int me, int count, dependence *on) {
  void *const made = __kmpc_omp_task_alloc(&here, me, tied, 64, 0, body);
  __kmpc_omp_task_with_deps(&here, me, made, count, on, 0, NULL);
  return made;
}

static int length(const list *l) { return l == NULL ? 0 : 1 + length(l->next); }

static int awaits(void *before, void *after) {
  const node *const wanted = __kmpc_task_get_depnode(after);
  int times = 0;
  for (const list *l = __kmpc_task_get_successors(before); l != NULL; l = l->next) times += l->of == wanted;
  CHECK(times <= 1);
  return times;
}

/*  a   b   c     inoutset of x, of both, of y
    | \ | / |
    d   e   f     in
         \ /
          g       out of y  */
static void graph(void) {
  int x, y;
  goes_on = executed = 0;
#pragma omp parallel
  {
    while (omp_get_thread_num() != 0 && !__atomic_load_n(&goes_on, __ATOMIC_ACQUIRE)) usleep(100);
    const int me = __kmpc_global_thread_num(&here);
    if (omp_get_thread_num() == 0) {
      dependence both[] = {{(size_t)&x, 4, in_out_set}, {(size_t)&y, 4, in_out_set}};
      void *const a = task(me, 1, both), *const b = task(me, 2, both), *const c = task(me, 1, both + 1);
      both[0].kind = both[1].kind = in;
      void *const d = task(me, 1, both), *const e = task(me, 2, both), *const f = task(me, 1, both + 1);
      both[1].kind = out;
      void *const g = task(me, 1, both + 1);
      CHECK(awaits(a, d) && awaits(a, e) && length(__kmpc_task_get_successors(a)) == 2);
      CHECK(awaits(b, d) && awaits(b, e) && awaits(b, f) && length(__kmpc_task_get_successors(b)) == 3);
      CHECK(awaits(c, e) && awaits(c, f) && length(__kmpc_task_get_successors(c)) == 2);
      CHECK(!awaits(d, g) && awaits(e, g) && awaits(f, g) && length(__kmpc_task_get_successors(d)) == 0);
      CHECK(__kmpc_task_get_depnode(e)->successors == __kmpc_task_get_successors(e));
      void *const free = __kmpc_omp_task_alloc(&here, me, tied, 64, 0, body);
      CHECK(__kmpc_task_get_depnode(free) == NULL);
      __atomic_store_n(&goes_on, 1, __ATOMIC_RELEASE);
      __kmpc_omp_task(&here, me, free);
      __kmpc_omp_taskwait(&here, me);
    }
  }
  CHECK(executed == 8);
}

int main(void) {
  if (asked() > 1) /* a team of one executes tasks at once */
    for (int round = 0; round < 20; ++round) graph();
  return verdict();
}
