// Taskgroups, and the variables that the tasks in one reduce.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Variables that tasks reduce [OpenMP 5.2, 5.5.10, 5.5.11]: each member of the team has a copy of each of them, which its
/// tasks use instead.
class task_reductions {
 public:
  struct item {
    char* variable;
    std::size_t offset;  // of a member's copy among the member's copies
  };
  task_reductions(const team& of, char* copies, std::size_t stride, std::vector<item> items)
      : of_(of), copies_(copies), stride_(stride), items_(std::move(items)) {}
  virtual ~task_reductions() = default;

  /// The item that this is the address of; a task may know a variable by the address of a member's copy. Null: none.
  const item* find(const void* address) const;
  /// The copy that tasks of the calling thread use.
  void* copy(const member& me, const item& its) const;

 protected:
  /// The calling thread's number in the team whose tasks they are.
  unsigned number(const member& me) const;
  char* copies_of(unsigned number) const { return copies_ + number * stride_; }
  std::size_t index(const item& its) const { return static_cast<std::size_t>(&its - items_.data()); }

  const team& of_;
  char* const copies_;
  const std::size_t stride_;
  const std::vector<item> items_;

 private:
  virtual void prepare(unsigned, const item&) const {}
};

struct task_group {
  task_group* const outer;
  std::unique_ptr<task_reductions> reduces;
  reducing_construct* construct = nullptr;  // the worksharing construct whose group it is; for GCC's code alone
};

void begin_task_group(member& me);
/// All tasks in it are done, and what they have reduced is no longer looked for.
void end_task_group(member& me);

struct found_reduction {
  const task_reductions* in;
  const task_reductions::item* its;
};
/// In the innermost group from there on that has it. The program ends where none has.
found_reduction find_reduction(const task_group* from, const void* address);

}  // namespace weir::openmp
