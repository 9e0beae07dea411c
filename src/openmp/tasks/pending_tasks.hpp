// Tasks that are not complete when their construct ends: detached tasks, whose event is fulfilled later, and tasks that
// depend on such tasks. The member that generates them executes them where it waits for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "openmp/tasks/task.hpp"

namespace weir::openmp {

struct dependence {
  enum kind_of : std::uint8_t { in, out, in_out_set };  // mutexinoutset tasks are ordered, as out tasks are
  std::uintptr_t at;
  kind_of kind;
};
constexpr std::uintptr_t all_memory = ~std::uintptr_t{0};
using dependences = std::vector<dependence>;

/// How many events of a member's tasks have been fulfilled. Each event keeps it alive: a thread that fulfils one may still be
/// at its gate when the member is gone.
struct fulfilments {
  std::atomic<std::uint32_t> count{0};
  gate waiters;
};

struct event {
  std::atomic<bool> fulfilled{false};
  std::shared_ptr<fulfilments> of_member;
};
/// What the program holds; deleted when the event is fulfilled.
struct event_handle {
  std::shared_ptr<event> its;
};
event_handle* make_event(member& me);
void fulfil(event_handle* handle);

class pending_tasks {
 public:
  pending_tasks() : events(std::make_shared<fulfilments>()) {}

  struct entry {
    std::uint64_t parent;
    task_group* group;
    dependences after;
    std::shared_ptr<event> until;  // null: complete when executed
    std::function<void()> run;     // empty: it has begun
    bool executed = false;
  };
  using matches = std::function<bool(const entry&)>;

  void add(entry e) { tasks_.push_back(std::move(e)); }
  bool any(const matches& which) const;
  /// Returns when none of these is left.
  void wait(member& me, const matches& which);

  const std::shared_ptr<fulfilments> events;

 private:
  bool advance(member& me, std::list<entry>::iterator e);
  std::list<entry> tasks_;
};

/// Executes a task, or keeps it for later if it depends on one that is not complete. A task that must be executed `at_once`
/// waits for those instead; its generator does not wait for its event [OpenMP 5.2, 1.2.5: undeferred task].
void perform(member& me, dependences after, bool at_once, std::shared_ptr<event> until, std::function<void()> run);
/// For a task that has been executed, and is complete when its event is fulfilled.
void complete_later(member& me, dependences after, std::shared_ptr<event> until);

/// Has the member no task to wait for, and so none that a new one could depend on?
inline bool nothing_pending(const member& me) { return me.pending == nullptr; }

void finish_children(member& me);
void finish_before(member& me, const dependences& after);
void finish_group(member& me, const task_group& group);

}  // namespace weir::openmp
