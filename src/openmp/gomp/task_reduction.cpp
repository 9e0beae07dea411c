// The compiler's code describes the reduced variables in an array of words. It initializes the copies and combines them; a byte
// in each copy says whether the copy is initialized, so the copies start as zeros. The code asks the runtime for the memory, and
// for a task's own copy.
#include "openmp/gomp/task_reduction.hpp"

#include <cstdint>
#include <cstdlib>

#include "openmp/forking/barrier.hpp"
#include "openmp/forking/region.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/tasks/shared_reduction.hpp"

namespace weir::openmp {

namespace {

// The words: a count, the bytes of a member's copies, their alignment, which becomes their address, four of the runtime's,
// and three for each variable: its address, the offset of its copy, and one more.
enum : std::size_t { count = 0, stride = 1, copies = 2, first = 7, each = 3 };
using words = std::uintptr_t;

copies_layout layout_of(const words* w) { return {w[stride], w[copies]}; }

void attach(member& me, const words* w) {
  std::vector<task_reductions::item> items;
  for (std::size_t i = 0; i < w[count]; ++i)
    items.push_back({reinterpret_cast<char*>(w[first + each * i]), w[first + each * i + 1]});
  reduce_in_group(me, reinterpret_cast<char*>(w[copies]), w[stride], std::move(items));
}

void allocate(words* w, unsigned members) { w[copies] = reinterpret_cast<words>(zeroed_copies(layout_of(w), members)); }

void attach_own(member& me, words* w) {
  allocate(w, me.of->size);
  attach(me, w);
}

struct reducing_region {
  void (*run)(void*);
  void* what;  // it begins with the address of the words, which all members have in common
  lock mutual;
  unsigned size = 0;
};

void run_reducing(void* argument) {
  auto& r = *static_cast<reducing_region*>(argument);
  auto* const w = *static_cast<words**>(r.what);
  member& me = self();
  begin_task_group(me, true);
  r.mutual.take();
  if (r.size == 0) allocate(w, r.size = me.of->size);
  r.mutual.release();
  attach(me, w);
  r.run(r.what);
  end_task_group(me);
}

}  // namespace

void begin_task_reductions(void* its_words) {
  if (its_words == nullptr) return;
  // Each member has words of its own; the copies are common to all members.
  auto* const w = static_cast<words*>(its_words);
  member& me = self();
  w[copies] = reinterpret_cast<words>(begin_shared_reduction(me, layout_of(w)));
  attach(me, w);
}

void begin_reducing_group(void* its_words) {
  member& me = self();
  begin_task_group(me);
  attach_own(me, static_cast<words*>(its_words));
}

void nothing_reduced(void* its_words) { static_cast<words*>(its_words)[copies] = 0; }

extern "C" {

void GOMP_taskgroup_reduction_register(words* w) { attach_own(self(), w); }
void GOMP_taskgroup_reduction_unregister(words* w) { std::free(reinterpret_cast<void*>(w[copies])); }

// The code of the first `originals` variables also wants the address of the variable itself, behind all others, because
// initializers read it.
void GOMP_task_reduction_remap(std::size_t variables, std::size_t originals, void** addresses) {
  const member& me = self();
  for (std::size_t i = 0; i < variables; ++i) {
    const auto [in, item] = find_reduction(me.executing->group, addresses[i]);
    addresses[i] = in->copy(me, *item);
    if (i < originals) addresses[variables + i] = item->variable;
  }
}

unsigned GOMP_parallel_reductions(void (*run)(void*), void* what, unsigned threads, unsigned) {
  reducing_region r{run, what, {}};
  fork(run_reducing, &r, threads, reinterpret_cast<const void*>(run));
  return r.size;
}

// Member 0 has combined the copies. If the region is cancelled, its end is the barrier.
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  member& me = self();
  end_shared_reduction(me);
  if (!cancelled) barrier(me);
}

}  // extern "C"

}  // namespace weir::openmp
