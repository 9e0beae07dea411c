#include "openmp/tasks/shared_reduction.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "openmp/support/annotation.hpp"

namespace weir::openmp {

struct shared_reduction {
  explicit shared_reduction(char* zeros) : copies(zeros) {}
  shared_reduction(const shared_reduction&) = delete;
  ~shared_reduction() { std::free(copies); }

  char* const copies;
  std::atomic<shared_reduction*> inner{nullptr};  // of the next such construct that the members begin inside this one
};

namespace {

/// The slot in which members find the construct that comes next inside the constructs that they are in, such as a loop inside a
/// scope.
std::atomic<shared_reduction*>& slot_of_next(const member& me) {
  for (const task_group* g = me.executing->group; g != nullptr; g = g->outer)
    if (g->of_construct != nullptr) return g->of_construct->inner;
  return me.of->reduces;
}

}  // namespace

char* zeroed_copies(copies_layout layout, unsigned members) {
  const std::size_t alignment = std::max(layout.alignment, alignof(std::max_align_t));
  const std::size_t bytes = (layout.stride * members + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, bytes);
  if (memory == nullptr) std::abort();
  return static_cast<char*>(std::memset(memory, 0, bytes));
}

void reduce_in_group(member& me, char* copies, std::size_t stride, std::vector<task_reductions::item> items) {
  me.executing->group->reduces = std::make_unique<task_reductions>(*me.of, copies, stride, std::move(items));
}

char* begin_shared_reduction(member& me, copies_layout layout) {
  auto& slot = slot_of_next(me);
  // acquire, release: the zeros.
  shared_reduction* seen = slot.load(std::memory_order_acquire);
  if (seen == nullptr) {
    auto made = std::make_unique<shared_reduction>(zeroed_copies(layout, me.of->size));
    happens_before(&slot);
    if (slot.compare_exchange_strong(seen, made.get(), std::memory_order_acq_rel)) seen = made.release();
  }
  happens_after(&slot);
  begin_task_group(me, true);
  me.executing->group->of_construct = seen;
  return seen->copies;
}

void end_shared_reduction(member& me) {
  end_task_group(me);
  // relaxed: a member that begins the next such construct has been at the barrier.
  if (me.number == 0) delete slot_of_next(me).exchange(nullptr, std::memory_order_relaxed);
}

}  // namespace weir::openmp
