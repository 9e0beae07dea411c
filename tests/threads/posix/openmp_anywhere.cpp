// A thread that may be cancelled anywhere is cancelled at instructions of Weir's in directives and routines of OpenMP outside of
// regions. It ends, and nothing else happens: another thread finds all of them as ever.
#include "steps.hpp"

#include <omp.h>

namespace {

using namespace stepping;

omp_lock_t simple;
omp_nest_lock_t nest;
int counted = 0;

struct tried {
  void (*call)() = nullptr;
  steps where{};
  bool is_known = true;  // it has called it before: what is made once for each thread is there
  std::atomic<int> cleaned{0};
};
void* try_it(void* at) {
  tried& it = *static_cast<tried*>(at);
  pthread_cleanup_push([](void* to) { ++static_cast<tried*>(to)->cleaned; }, at);
  if (it.is_known) it.call();
  step_through_anywhere(it.call, it.where);
  pthread_cleanup_pop(0);
  return nullptr;
}
/// What the call has taken when it is cancelled stays taken, as without Weir: the locks are made anew.
/// At each of this number of instructions.
void at_instructions(void (*call)(), unsigned long each, bool is_known = true) {
  look_up();
  handle_steps();
  const unsigned long stride = std::getenv("WEIR_TEST_EVERY") != nullptr ? 1 : each;
  tried it{.call = call, .is_known = is_known};
  do {
    omp_init_lock(&simple), omp_init_nest_lock(&nest);
    it.where = {.at = it.where.at + stride, .only_weir = true};
    it.cleaned = 0;
    void* result = nullptr;
    pthread_t one{};
    CHECK(pthread_create(&one, nullptr, try_it, &it) == 0 && pthread_join(one, &result) == 0);
    CHECK(it.where.done ? result == PTHREAD_CANCELED && it.cleaned == 1 : result == nullptr && it.cleaned == 0);
  } while (it.where.done);
  omp_init_lock(&simple), omp_init_nest_lock(&nest);
  result_of(start([call]() -> void* { return call(), nullptr; }));
}

void lock() { omp_set_lock(&simple), omp_unset_lock(&simple), omp_test_lock(&simple), omp_unset_lock(&simple); }
void nest_lock() { omp_set_nest_lock(&nest), omp_unset_nest_lock(&nest), omp_test_nest_lock(&nest), omp_unset_nest_lock(&nest); }
void locks_made() {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock), omp_destroy_nest_lock(&lock);
}
void task() {
#pragma omp task shared(counted)
  counted = 1;
#pragma omp taskwait
}
void taskgroup() {
#pragma omp taskgroup
  {
#pragma omp task shared(counted)
    counted = 1;
  }
}
void depending() {
#pragma omp task shared(counted) depend(inout : counted)
  counted = 1;
#pragma omp taskwait depend(in : counted)
}
void taskloop() {
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 3; ++i) counted = i;
}
void single() {
#pragma omp single
  counted = 1;
}
void copied() {
  int value = 0;
#pragma omp single copyprivate(value)
  value = 1;
  counted = value;
}
void loop() {
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 3; ++i) counted = i;
}
void ordered() {
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < 3; ++i) {
#pragma omp ordered
    counted = i;
  }
}
void sections() {
#pragma omp sections
  {
    counted = 1;
#pragma omp section
    counted = 2;
  }
}
void barrier() {
#pragma omp barrier
}
void yield() {
#pragma omp taskyield
}
void asked() {
  counted = omp_get_thread_num() + omp_get_max_threads() + omp_get_num_procs() + omp_in_parallel();
  omp_set_num_threads(3);
}
void memory() { omp_free(omp_alloc(100, omp_default_mem_alloc), omp_default_mem_alloc); }
void target() {
#pragma omp target map(tofrom : counted)
  counted = 1;
}
void region() {
#pragma omp parallel num_threads(2)
  sched_yield();
}
void cancelled_region() {
#pragma omp parallel num_threads(1)
  {
#pragma omp cancel parallel
  }
}

#define SUBJECT(name) {#name, [] { at_instructions(name, 17); }}
const subject subjects[] = {SUBJECT(lock),
                            SUBJECT(nest_lock),
                            SUBJECT(locks_made),
                            SUBJECT(task),
                            SUBJECT(taskgroup),
                            {"depending", [] { at_instructions(depending, 151); }},
                       SUBJECT(taskloop),
                       SUBJECT(single),
                       SUBJECT(copied),
                       SUBJECT(loop),
                       SUBJECT(ordered),
                       SUBJECT(sections),
                       SUBJECT(barrier),
                       SUBJECT(yield),
                       SUBJECT(asked),
                       SUBJECT(memory),
                       SUBJECT(target),
                       {"region", [] { at_instructions(region, 211); }},
                       SUBJECT(cancelled_region),
                       {"first use", [] { at_instructions(asked, 3001, false); }}};

}  // namespace

int main() { return run_all(subjects); }
