// A task as its team sees it: the place in the tree of tasks, the tasks that must be complete before it, and the control
// variables. The room tasks has the operations.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "openmp/teams/control.hpp"

namespace weir::openmp {

struct member;
struct task_group;
struct dependence_node;
class dependence_table;
struct delete_dependence_table {
  void operator()(dependence_table*) const;
};

/// The tasks below a task, in one word: children that are not complete; children whose memory is still needed, by themselves or
/// by tasks below them, and for an explicit task itself among these until it is complete; and threads outside of the team that
/// are about to complete a task below this one (event.cpp).
struct task_counts {
  static constexpr std::uint64_t incomplete = 1, living = std::uint64_t{1} << 28, visitor = std::uint64_t{1} << 56;
  static constexpr std::uint64_t a_child = incomplete + living;
  static constexpr std::uint64_t incomplete_in(std::uint64_t word) { return word & (living - 1); }
  static constexpr std::uint64_t without_visitors(std::uint64_t word) { return word & (visitor - 1); }
};

/// An explicit task, or the implicit task of a member. The memory of explicit tasks is reused only for explicit tasks, and kept
/// as long as the team. If a task is taken while a thief looks at it, the thief therefore reads words of another task, but never
/// other data.
struct alignas(64) task : task_counts {
  // A thief fetches each line that it touches from the processor of the task's parent, which fetches the line back for its next
  // task. So the first line holds what few tasks need; the interface's data begin on the last line.
  control icv;                            // unless it inherits; while the member executes another task
  std::shared_ptr<dependence_node> node;  // null: it has no dependences

  // A thread that completes a child writes this line; one that generates children reads only the next line.
  alignas(64) std::atomic<std::uint64_t> below{0};
  std::atomic<task*> parent{nullptr};  // relaxed, and depth: they are set before the task is published, and a thief that reads
                                       // them too late does not get the task
  void (*run)(task&) = nullptr;        // what the program and its interface set before the task is generated; and final
  // The member that executes the task, from its beginning to its end. relaxed: other threads read this to find the member to
  // wake; a member that is no longer the executor does not wait.
  std::atomic<member*> executor{nullptr};
  member* home = nullptr;              // the member to whose pool its memory belongs
  task* next = nullptr;                // in a list; while it is executed, the task that its executor resumes afterwards
  std::unique_ptr<dependence_table, delete_dependence_table> children;  // what they depend on; null: none has dependences
  int id = 0;                          // unique in the process; 0: not asked for yet
  int priority = 0;                    // set as `final` is

  alignas(64) std::atomic<std::uint32_t> depth{0};  // 0: implicit
  // The number of children that `below` counts although they do not exist: they are yet to be generated, or have been completed
  // by the task's own executor. Only the executor changes this number, while it executes the task. So a task whose children no
  // other thread completes needs no atomic update, and a thread that generates tasks for others seldom takes the line of `below`.
  std::uint32_t credit = 0;
  bool final = false;
  bool detached = false;
  bool has_node = false;
  bool inherits = false;  // its control variables are those with which the members have begun the region: team::inherited
  std::atomic<std::uint8_t> phase{0};  // of a detached task (event.cpp)
  std::uint8_t size_class = 0;
  task_group* group = nullptr;         // the innermost group that it is in

  /// The interface's data of the task: the rest of this line, and the bytes that follow.
  alignas(8) std::byte room[40];
  void* data() { return room; }
};
static_assert(sizeof(control) + sizeof(task::node) <= 64 && sizeof(task) == 192, "three lines, and room fills the last one");

}  // namespace weir::openmp
