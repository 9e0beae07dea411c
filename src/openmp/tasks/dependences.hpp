// The depend clause: which of its siblings a task must wait for [OpenMP 5.2, 15.9.5].
//
// The generating task keeps, for each address, the last tasks that were generated with this address. A new task is a successor of
// the tasks that conflict with it and are not complete; it may begin when it awaits none of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "openmp/support/annotation.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/teams/team.hpp"

namespace weir::openmp {

struct dependence {
  enum kind_of : std::uint8_t { in, out, in_out_set, mutex_in_out_set };
  std::uintptr_t at;
  kind_of kind;
};
constexpr std::uintptr_t all_memory = ~std::uintptr_t{0};
using dependences = std::vector<dependence>;

struct dependence_node;

/// The exclusion that the tasks of one mutexinoutset hold in turn, in any order. A task that finds the exclusion taken is set
/// aside, so no thread waits.
class exclusion {
 public:
  ~exclusion() { happens_after(&mutual_); }  // the last task to pass it on may not be the last to forget it
  /// False: another task has it, and passes it on to this one.
  bool take(const std::shared_ptr<dependence_node>& by);
  /// Called by the task that has the exclusion. Returns the task that has it afterwards, if any.
  std::shared_ptr<dependence_node> pass_on();

 private:
  lock mutual_;
  bool taken_ = false;
  std::vector<std::shared_ptr<dependence_node>> set_aside_;
};

/// A task with dependences, as its siblings know it; its memory may be another task's once it is complete.
struct dependence_node {
  /// Null: a member waits, instead of a task (`waiter`).
  explicit dependence_node(task* t) : dependent(t) {}

  task* const dependent;
  member* waiter = nullptr;
  // The number of siblings that must complete first; plus 1 until all of them are known; plus 1 until the task has its
  // exclusions.
  std::atomic<unsigned> awaited{2};
  std::atomic<bool> complete{false};
  lock mutual;  // for the successors, and for the moment at which the task is complete
  std::vector<std::shared_ptr<dependence_node>> successors;
  // Once the task awaits no sibling, it takes its exclusions in the order of their addresses. All tasks do so, and therefore no
  // two tasks wait for each other.
  std::vector<std::shared_ptr<exclusion>> exclusions;
  std::size_t next_exclusion = 0;  // only the thread that takes them for it reads or writes this
  std::shared_ptr<void> shown;     // what an interface has shown to the program; null: nothing
};

/// The dependences of a task's children. Only the task itself uses it.
class dependence_table {
 public:
  /// Adds a node behind the nodes that it conflicts with. True: it awaits none of them.
  bool add(const std::shared_ptr<dependence_node>& node, const dependences& depends_on);

 private:
  using nodes = std::vector<std::shared_ptr<dependence_node>>;
  /// The history of one address: the last tasks that do not conflict with each other, and the tasks before them.
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

/// The node awaits one sibling less. True: it awaits none any more, and has its exclusions.
bool awaits_no_more(const std::shared_ptr<dependence_node>& node);
/// The node takes its exclusions. True: it has all of them now. Otherwise the thread that passes on the missing one calls this
/// again.
bool takes_exclusions(const std::shared_ptr<dependence_node>& node);

}  // namespace weir::openmp
