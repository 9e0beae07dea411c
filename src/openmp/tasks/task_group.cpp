#include "openmp/tasks/task_group.hpp"

#include <functional>

#include "openmp/support/annotation.hpp"
#include "openmp/support/errors.hpp"
#include "openmp/tasks/task.hpp"

namespace weir::openmp {

const task_reductions::item* task_reductions::find(const void* address) const {
  const auto* const at = static_cast<const char*>(address);
  for (const item& i : items_)
    if (i.variable == at) return &i;
  // std::less: the address may be of any object.
  const std::less<const char*> before;
  if (before(at, copies_) || !before(at, copies_ + of_.size * stride_)) return nullptr;
  const std::size_t offset = static_cast<std::size_t>(at - copies_) % stride_;
  for (const item& i : items_)
    if (i.offset == offset) return &i;
  return nullptr;
}

unsigned task_reductions::number(const member& me) const {
  const member* m = &me;
  while (m->of != &of_ && m->of->parent != nullptr) m = m->of->parent;
  return m->number;
}

void* task_reductions::copy(const member& me, const item& of_item) const {
  const unsigned n = number(me);
  prepare(n, of_item);
  return copies_of(n) + of_item.offset;
}

void begin_task_group(member& me, bool of_modifier) {
  me.executing->group = new task_group{.outer = me.executing->group, .owner = &me, .of_modifier = of_modifier};
}

void end_task_group(member& me) {
  task_group* const ending = me.executing->group;
  wait_for_tasks(me, waits::taskgroup, ending->incomplete, [](std::uint64_t tasks) { return tasks == 0; });
  happens_after(ending);
  me.executing->group = ending->outer;
  delete ending;
}

void complete_in_group(task_group& group) {
  // Read before: a group without tasks may be gone.
  member* const owner = group.owner;
  happens_before(&group);
  // acq_rel: what the task did, for the member that waits.
  if (group.incomplete.fetch_sub(1, std::memory_order_acq_rel) == 1) owner->task_gate.open();
}

// release, acquire: what the task that cancels did before, for those that meet the cancellation.
void cancel_task_group(task& executed) {
  task_group* g = executed.group;
  while (g != nullptr && g->of_modifier) g = g->outer;
  if (g != nullptr) g->cancelled.store(true, std::memory_order_release);
}

bool task_group_cancelled(const task& executed) {
  for (const task_group* g = executed.group; g != nullptr; g = g->outer)
    if (g->cancelled.load(std::memory_order_acquire)) return true;
  return false;
}

found_reduction find_reduction(const task_group* from, const void* address) {
  for (const task_group* g = from; g != nullptr; g = g->outer)
    if (g->reduces != nullptr)
      if (const auto* const found = g->reduces->find(address); found != nullptr) return {g->reduces.get(), found};
  end_for(errors::no_task_reduction);
}

}  // namespace weir::openmp
