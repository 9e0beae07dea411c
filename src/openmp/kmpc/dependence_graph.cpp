// The part of the dependence graph that LLVM's runtime shows to tests and tools: the node of a task that is not complete, and the
// nodes of the tasks that await it.
#include <algorithm>
#include <deque>

#include "openmp/kmpc/interface.hpp"
#include "openmp/tasks/dependences.hpp"
#include "openmp/teams/task.hpp"

using namespace weir::openmp;

namespace {

// A program's view of both begins with these fields.
struct shown_node;
struct shown_successor {
  shown_node* node;
  shown_successor* next;
};
struct shown_node {
  shown_successor* successors = nullptr;
  std::deque<shown_successor> memory;  // of the list

  /// Adds each successor only once: a task may await another for several addresses.
  void add(shown_node* successor) {
    if (std::ranges::find(memory, successor, &shown_successor::node) == memory.end())
      successors = &memory.emplace_back(successor, successors);
  }
};

shown_node& shown(dependence_node& dependent) {
  dependent.mutual.take();
  if (dependent.shown == nullptr) dependent.shown = std::make_shared<shown_node>();
  auto& node = *static_cast<shown_node*>(dependent.shown.get());
  dependent.mutual.release();
  return node;
}

std::vector<std::shared_ptr<dependence_node>> successors_of(dependence_node& node) {
  node.mutual.take();
  auto successors = node.successors;
  node.mutual.release();
  return successors;
}

}  // namespace

extern "C" {

/// Null: the task has no dependences, or is complete.
shown_node* __kmpc_task_get_depnode(void* t) {
  const auto node = runtime_task(t).node;
  return node != nullptr ? &shown(*node) : nullptr;
}
shown_successor* __kmpc_task_get_successors(void* t) {
  const auto node = runtime_task(t).node;
  if (node == nullptr) return nullptr;
  shown_node& shown_to_program = shown(*node);
  for (const auto& s : successors_of(*node)) shown_to_program.add(&shown(*s));
  return shown_to_program.successors;
}

}  // extern "C"
