// The depend clause: which of its siblings a task must wait for [OpenMP 5.2, 15.9.5].
//
// The generating task keeps, for each address, the last tasks that were generated with it. A new task is a successor of those that
// conflict with it and are not complete; it may begin when it awaits none.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "openmp/core/team.hpp"
#include "openmp/support/lock.hpp"

namespace weir::openmp {

struct dependence {
  enum kind_of : std::uint8_t { in, out, in_out_set };  // mutexinoutset tasks are ordered, as out tasks are
  std::uintptr_t at;
  kind_of kind;
};
constexpr std::uintptr_t all_memory = ~std::uintptr_t{0};
using dependences = std::vector<dependence>;

/// A task with dependences, as its siblings know it; its memory may be another task's once it is complete.
struct dependence_node {
  /// Null: a member waits, instead of a task (`waiter`).
  explicit dependence_node(task* t) : its(t) {}

  task* const its;
  member* waiter = nullptr;
  std::atomic<unsigned> awaited{1};  // siblings that must complete before; and 1 until all of them are known
  std::atomic<bool> complete{false};
  lock mutual;  // of the successors, and of the moment at which the task is complete
  std::vector<std::shared_ptr<dependence_node>> successors;
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
  };
  void add(const std::shared_ptr<dependence_node>& node, history& at, dependence::kind_of kind);
  void forget_complete();

  std::unordered_map<std::uintptr_t, history> addresses_;
  history everything_;  // of omp_all_memory: what an address without an entry begins with
  std::size_t forget_at_ = 1024;
};

/// One sibling less to wait for. True: there is none left.
bool awaits_no_more(dependence_node& node);

}  // namespace weir::openmp
