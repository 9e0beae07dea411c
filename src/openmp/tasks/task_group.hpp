// Taskgroups, and the variables that the tasks of a group reduce.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// Variables that tasks reduce [OpenMP 5.2, 5.5.10, 5.5.11]. Each member of the team has a copy of each variable, which the tasks
/// on this member use instead.
class task_reductions {
 public:
  struct item {
    char* variable;
    std::size_t offset;  // of the copy among the member's copies
  };
  task_reductions(const team& of, char* copies, std::size_t stride, std::vector<item> items)
      : of_(of), copies_(copies), stride_(stride), items_(std::move(items)) {}
  virtual ~task_reductions() = default;

  /// The item with this address, which may also be the address of a member's copy, because a task inside another task knows the
  /// variable by that address. Null: there is none.
  const item* find(const void* address) const;
  /// The copy that tasks of the calling thread use.
  void* copy(const member& me, const item& of_item) const;

 protected:
  /// The number of the calling thread in the team to which the tasks belong.
  unsigned number(const member& me) const;
  char* copies_of(unsigned number) const { return copies_ + number * stride_; }
  std::size_t index(const item& of_item) const { return static_cast<std::size_t>(&of_item - items_.data()); }

  const team& of_;
  char* const copies_;
  const std::size_t stride_;
  const std::vector<item> items_;

 private:
  virtual void prepare(unsigned, const item&) const {}
};

struct task_group {
  task_group* const outer;
  member* const owner;  // the member that waits for the group's tasks
  std::atomic<std::uint64_t> incomplete{0};  // tasks
  std::atomic<bool> cancelled{false};
  const bool of_modifier = false;  // of reduction(task, ...), which makes no taskgroup that the program could cancel
  std::unique_ptr<task_reductions> reduces = nullptr;
  shared_reduction* of_construct = nullptr;  // of the worksharing construct whose group it is (shared_reduction.hpp)
};

void begin_task_group(member& me, bool of_modifier = false);
/// Waits for all tasks of the group; what they have reduced is no longer found by find_reduction().
void end_task_group(member& me);

/// A task of the group is complete.
void complete_in_group(task_group& group);

struct found_reduction {
  const task_reductions* in;
  const task_reductions::item* item;
};
/// Looks in this group, then in those around it, and ends the program if none has the variable.
found_reduction find_reduction(const task_group* from, const void* address);

}  // namespace weir::openmp
