// The depend clause: which of its siblings a task must wait for [OpenMP 5.2, 15.9.5].
//
// The generating task keeps, for each address, the last tasks that were generated with it. A new task is a successor of those
// that conflict with it and are not complete; it may begin when it awaits none.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "openmp/core/team.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/support/lock.hpp"

namespace weir::openmp {

struct dependence {
  enum kind_of : std::uint8_t { in, out, in_out_set, mutex_in_out_set };
  std::uintptr_t at;
  kind_of kind;
};
constexpr std::uintptr_t all_memory = ~std::uintptr_t{0};
using dependences = std::vector<dependence>;

struct dependence_node;

/// What the tasks of one mutexinoutset have in turn, in any order. A task that finds it taken is set aside: no thread waits.
class exclusion {
 public:
  ~exclusion() { happens_after(&mutual_); }  // its memory: the last to pass it on may not be the last to forget it
  /// False: another task has it, and passes it on to this one.
  bool take(const std::shared_ptr<dependence_node>& by);
  /// By the task that has it. Returns the one that has it now, if any.
  std::shared_ptr<dependence_node> pass_on();

 private:
  lock mutual_;
  bool taken_ = false;
  std::vector<std::shared_ptr<dependence_node>> set_aside_;
};

/// A task with dependences, as its siblings know it; its memory may be another task's once it is complete.
struct dependence_node {
  /// Null: a member waits, instead of a task (`waiter`).
  explicit dependence_node(task* t) : its(t) {}

  task* const its;
  member* waiter = nullptr;
  // Siblings that must complete before; 1 until all of them are known; 1 until it has its exclusions.
  std::atomic<unsigned> awaited{2};
  std::atomic<bool> complete{false};
  lock mutual;  // of the successors, and of the moment at which the task is complete
  std::vector<std::shared_ptr<dependence_node>> successors;
  // It takes them in the order of their addresses, as all tasks do, once it awaits no sibling: so no two tasks wait for each
  // other.
  std::vector<std::shared_ptr<exclusion>> exclusions;
  std::size_t next_exclusion = 0;  // only the thread that takes them for it reads or writes this
  std::shared_ptr<void> shown;     // what an interface has shown of it; null: nothing
};

/// The dependences of a task's children. Only the task itself uses it.
class dependence_table {
 public:
  /// Adds a node behind those that it conflicts with. True: it awaits none of them.
  bool add(const std::shared_ptr<dependence_node>& node, const dependences& its);

 private:
  using nodes = std::vector<std::shared_ptr<dependence_node>>;
  /// Of one address: the last tasks that do not conflict with each other, and those before them.
  struct history {
    dependence::kind_of kind = dependence::out;
    nodes last, before;
    std::shared_ptr<exclusion> excludes = nullptr;  // the last from each other
  };
  void add(const std::shared_ptr<dependence_node>& node, history& at, dependence::kind_of kind);
  void forget_complete();

  std::unordered_map<std::uintptr_t, history> addresses_;
  history everything_;  // of omp_all_memory: what an address without an entry begins with
  std::size_t forget_at_ = 1024;
};

/// One sibling less to wait for. True: there is none left, and it has its exclusions.
bool awaits_no_more(const std::shared_ptr<dependence_node>& node);
/// True: it has them all now. Otherwise the thread that passes on the missing one calls this again.
bool takes_exclusions(const std::shared_ptr<dependence_node>& node);

}  // namespace weir::openmp
