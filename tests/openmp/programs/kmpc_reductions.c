/* How many values a reduction combines is learned by its first executions, and holds for teams of all sizes. The program's
   function is called where values are combined along a tree, and not where members combine them one by one. */
#include "check.h"
#include "kmpc.h"
#include <omp.h>
#include <stddef.h>

int __kmpc_reduce(place *, int, int variables, size_t bytes, void *list, void (*combine)(void *, void *), void *lock);
void __kmpc_end_reduce(place *, int, void *lock);

static int calls;
static void combine(void *into, void *from) {
  add(&calls, 1);
  **(int **)into += **(int **)from;
}

/* Has the tree combined the values? */
static int by_tree(int members) {
  static int lock[8];
  int sum = 0;
  calls = 0;
#pragma omp parallel num_threads(members)
  {
    const int me = __kmpc_global_thread_num(&here);
    int own = 1;
    void *list[] = {&own};
    if (__kmpc_reduce(&here, me, 1, sizeof list, list, combine, lock) == 1) {
      sum += own;
      __kmpc_end_reduce(&here, me, lock);
    }
  }
  CHECK(sum == members);
  return calls != 0;
}

int main(void) {
  omp_set_dynamic(0);
  enum { until_learned = 5 };
  int last = 0;
  for (int i = 0; i < until_learned; ++i) last = by_tree(4);
  CHECK(by_tree(3) == last);
  CHECK(by_tree(2) == last);
  return verdict();
}
