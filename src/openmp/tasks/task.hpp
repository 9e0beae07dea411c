// Explicit tasks: how an interface generates them, executes them and waits for them.
//
//   new_task     memory, which the interface fills with the program's data
//   generate     the task becomes a child of the one that the member executes, and begins at once or later, as it may
//   execute      begin(), the program's code, end()
//   complete     successors are released, those who wait are woken, the memory is given back
//
// A member arrives at a barrier only when all tasks below its implicit task are complete. So the last arrival follows the last
// task, and a barrier is complete exactly when all tasks are. Members that have arrived execute tasks of the others.
#pragma once

#include "openmp/tasks/dependences.hpp"
#include "openmp/tasks/scheduler.hpp"

namespace weir::openmp {

/// A task with room for this number of bytes of data, aligned as a pointer. To be passed to generate(), or to begin_undeferred().
inline task& new_task(member& me, std::size_t bytes) { return scheduler_of(me).pool_of(me).make(me, bytes); }

/// Gives the task's memory back instead.
void discard(member& me, task& t);

/// What the program asks for [OpenMP 5.2, 12.4], within OMP_MAX_TASK_PRIORITY.
void set_priority(task& t, int priority);

/// The task may be executed later, by another member. An `undeferred` task has been executed when the function returns; only its
/// event may remain to be fulfilled.
void generate(member& me, task& t, bool undeferred);
void generate(member& me, task& t, bool undeferred, const dependences& after);

/// Waits for the dependences of an undeferred task. Pass the result to begin_undeferred(): until the task is complete, other
/// tasks may depend on it (if it is detached), or may be excluded by it.
std::shared_ptr<dependence_node> wait_for_undeferred(member& me, bool detached, const dependences& after);
/// An undeferred task whose code the caller executes between the two.
void begin_undeferred(member& me, task& t, std::shared_ptr<dependence_node> node = nullptr);
void end_undeferred(member& me, task& t);

/// Waits for all children of the task that the member executes [OpenMP 5.2, 15.5].
void finish_children(member& me);
/// Waits for the tasks that a task with these dependences would await. mutexinoutset, which only tasks may name, counts as inout.
void finish_before(member& me, dependences after);
/// Generates an empty task on which others may depend.
void generate_empty(member& me, const dependences& after);
/// Executes another task, if the member may [OpenMP 5.2, 12.9].
void yield_to_task(member& me);

inline bool in_explicit_task(const member& me) { return me.executing != &me.implicit; }

/// A number that no other explicit task of the process has; 0 for an implicit task.
int task_id(task& t);

// For the room itself.
/// Waits until `ready(word)`, and executes tasks below the member's task meanwhile. The thread that changes the word opens the
/// member's task gate.
template <class Word, class Ready>
void wait_for_tasks(member& me, const wait_kind& what, const Word& word, Ready ready);
/// The task has been executed, and its event is fulfilled. `me`: the member that has executed it; null: another thread
/// completes it.
void complete(member* me, task& t);

}  // namespace weir::openmp

#include "openmp/teams/waiting.hpp"

namespace weir::openmp {

template <class Word, class Ready>
void wait_for_tasks(member& me, const wait_kind& what, const Word& word, Ready ready) {
  if (ready(word.load(std::memory_order_acquire))) return;
  task_work work(&me, what, me.executing);
  me.of->learned.await(oversubscribed(*me.of), word, me.task_gate, ready, work);
}

}  // namespace weir::openmp
