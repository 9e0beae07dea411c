// The memory of a member's tasks, by size. Another member that completes a task gives the memory back, that of several tasks at
// once. Memory is freed only with the team, so that the memory of a task is never used for anything else (task.hpp). There is as
// much memory as there were tasks at once, and a few tasks for each member.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <vector>

#include "openmp/support/annotation.hpp"
#include "openmp/tasks/completion.hpp"
#include "openmp/tasks/stealing.hpp"
#include "openmp/teams/team.hpp"

namespace weir::openmp {

class task_pool {
 public:
  task_pool() = default;
  task_pool(const task_pool&) = delete;
  ~task_pool();

  /// Called by the owner: makes a new task with room for this many bytes of data. Ends the program if there is no memory.
  task& make(member& owner, std::size_t bytes);
  /// Called by the owner, or by another thread.
  void give_back(task& t) {
    happens_before(&t);
    t.next = free_[t.size_class];
    free_[t.size_class] = &t;
  }
  void give_back_from_elsewhere(task& t);
  /// Called by the owner, with a task of another pool.
  void give_back_to(task_pool& home, task& t);

 private:
  using list = std::atomic<task*>;
  static constexpr std::size_t smallest = 8;  // 2^8 bytes
  /// Takes back what other threads have returned, or new memory, until there is a task of this size.
  void refill(std::size_t size_class);

  std::array<task*, 48> free_{};  // by size class
  std::vector<void*> blocks_;
  borrowed<task, list> borrowed_;
  alignas(line_bytes) std::array<list, 48> returned_{};  // by other threads, by size class
};

inline task& task_pool::make(member& owner, std::size_t bytes) {
  const std::size_t needed = sizeof(task) - sizeof(task::room) + bytes;
  const std::size_t size_class = static_cast<std::size_t>(std::bit_width((needed - 1) >> smallest));
  if (free_[size_class] == nullptr) [[unlikely]] refill(size_class);
  task& t = *free_[size_class];
  free_[size_class] = t.next;
  // Another thread may have had its memory; it is fetched while this task is generated.
  __builtin_prefetch(t.next, 1);
  happens_after(&t);
  t.home = &owner;
  t.final = t.detached = t.has_node = false;
  t.id = t.priority = 0;
  t.credit = children_counted_at_once;
  // relaxed: published with the task. A thief that still looks at the task that was here gets neither.
  t.below.store(task::living + children_counted_at_once * task::a_child, std::memory_order_relaxed);
  t.phase.store(0, std::memory_order_relaxed);
  return t;
}

}  // namespace weir::openmp
