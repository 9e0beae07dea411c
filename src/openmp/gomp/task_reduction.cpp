// The compiler's code says what is reduced in an array of words, begins the copies (each has a byte that says whether it has
// begun, so they start as zeros) and combines them. It asks us for the room, and for a task's own copy.
#include "openmp/gomp/task_reduction.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "openmp/support/annotation.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/tasks/task_group.hpp"

namespace weir::openmp {

/// A worksharing construct whose tasks reduce, as the members of a team share it.
struct reducing_construct {
  explicit reducing_construct(void* zeros) : copies(zeros) {}
  reducing_construct(const reducing_construct&) = delete;
  ~reducing_construct() { std::free(copies); }

  void* const copies;
  std::atomic<reducing_construct*> within{nullptr};  // the next of them that the members begin inside it
};

namespace {

// The words: a count, the bytes of a member's copies, their alignment, which becomes their address, four of the runtime's,
// and three for each variable: its address, the offset of its copy, and one more.
enum : std::size_t { count = 0, stride = 1, room = 2, first = 7, each = 3 };
using words = std::uintptr_t;

void* zeros(const words* w, unsigned members) {
  const std::size_t alignment = w[room] > alignof(std::max_align_t) ? w[room] : alignof(std::max_align_t);
  const std::size_t bytes = (w[stride] * members + alignment - 1) / alignment * alignment;
  void* const all = std::aligned_alloc(alignment, bytes);
  if (all == nullptr) std::abort();
  return std::memset(all, 0, bytes);
}

void attach(member& me, const words* w) {
  std::vector<task_reductions::item> items;
  for (std::size_t i = 0; i < w[count]; ++i)
    items.push_back({reinterpret_cast<char*>(w[first + each * i]), w[first + each * i + 1]});
  me.group->reduces =
      std::make_unique<task_reductions>(*me.of, reinterpret_cast<char*>(w[room]), w[stride], std::move(items));
}

void attach_own(member& me, words* w) {
  w[room] = reinterpret_cast<words>(zeros(w, me.of->size));
  attach(me, w);
}

/// Where the members share the construct that comes next inside those they are in, as a loop inside a scope.
std::atomic<reducing_construct*>& slot_of_next(const member& me) {
  for (const task_group* g = me.group; g != nullptr; g = g->outer)
    if (g->construct != nullptr) return g->construct->within;
  return me.of->reduces;
}

struct reducing_region {
  void (*run)(void*);
  void* what;  // it begins with the address of the words, which all members share
  lock begun;
  unsigned size = 0;
};

void begin_region(void* its) {
  auto& r = *static_cast<reducing_region*>(its);
  auto* const w = *static_cast<words**>(r.what);
  member& me = self();
  begin_task_group(me);
  r.begun.take();
  if (r.size == 0) w[room] = reinterpret_cast<words>(zeros(w, r.size = me.of->size));
  r.begun.release();
  attach(me, w);
  r.run(r.what);
  end_task_group(me);
}

}  // namespace

void begin_task_reductions(void* its_words) {
  if (its_words == nullptr) return;
  auto* const w = static_cast<words*>(its_words);
  member& me = self();
  // The members have words each, and share the copies. acquire, release: the zeros.
  auto& shared = slot_of_next(me);
  reducing_construct* seen = shared.load(std::memory_order_acquire);
  if (seen == nullptr) {
    auto mine = std::make_unique<reducing_construct>(zeros(w, me.of->size));
    happens_before(&shared);
    if (shared.compare_exchange_strong(seen, mine.get(), std::memory_order_acq_rel)) seen = mine.release();
  }
  happens_after(&shared);
  w[room] = reinterpret_cast<words>(seen->copies);
  begin_task_group(me);
  me.group->construct = seen;
  attach(me, w);
}

void begin_reducing_group(void* its_words) {
  member& me = self();
  begin_task_group(me);
  attach_own(me, static_cast<words*>(its_words));
}

void nothing_reduced(void* its_words) { static_cast<words*>(its_words)[room] = 0; }

extern "C" {

void GOMP_taskgroup_reduction_register(words* w) { attach_own(self(), w); }
void GOMP_taskgroup_reduction_unregister(words* w) { std::free(reinterpret_cast<void*>(w[room])); }

// The first so many want the variable's own address too, behind all others: their initializers look at it.
void GOMP_task_reduction_remap(std::size_t variables, std::size_t originals, void** addresses) {
  const member& me = self();
  for (std::size_t i = 0; i < variables; ++i) {
    const auto [in, its] = find_reduction(me.group, addresses[i]);
    addresses[i] = in->copy(me, *its);
    if (i < originals) addresses[variables + i] = its->variable;
  }
}

unsigned GOMP_parallel_reductions(void (*run)(void*), void* what, unsigned threads, unsigned) {
  reducing_region r{run, what, {}};
  fork(begin_region, &r, threads);
  return r.size;
}

// The first member has combined them. A cancelled region's end is the barrier.
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  member& me = self();
  end_task_group(me);
  // relaxed: a member that comes to the next such construct has been at the barrier.
  if (me.number == 0) delete slot_of_next(me).exchange(nullptr, std::memory_order_relaxed);
  if (!cancelled) barrier(me);
}

}  // extern "C"

}  // namespace weir::openmp
