// Tasks that are not complete when their construct is over: detached ones, whose event somebody fulfils later, and those that
// depend on such tasks. Who creates them executes them where it waits for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "openmp/tasks/task.hpp"

namespace weir::openmp {

struct task_group;

struct dependence {
  enum kind_of : std::uint8_t { in, out, in_out_set };  // mutexinoutset: in an order, as out is
  std::uintptr_t at;
  kind_of kind;
};
constexpr std::uintptr_t all_memory = ~std::uintptr_t{0};
using dependences = std::vector<dependence>;

/// What has happened to events of a member's tasks. The events keep it alive: who fulfils one may be late to leave.
struct event_news {
  std::atomic<std::uint32_t> count{0};
  gate came;
};

struct event {
  std::atomic<bool> fulfilled{false};
  std::shared_ptr<event_news> news;
  dependences after;  // of its task, where they are said before the task itself begins; nobody else reads them
};
/// What the program holds: it is given back when the event is fulfilled.
struct event_handle {
  std::shared_ptr<event> its;
};
event_handle* make_event(member& me);
void fulfil(event_handle* handle);

class pending_tasks {
 public:
  pending_tasks() : news(std::make_shared<event_news>()) {}

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

  const std::shared_ptr<event_news> news;

 private:
  bool advance(member& me, std::list<entry>::iterator e);
  std::list<entry> tasks_;
};

/// Executes a task, or keeps it for later if it depends on one that is not complete. One that must be executed at once waits
/// for those; its creator does not wait for its event [OpenMP 5.2, 1.2.5: undeferred task].
void perform(member& me, dependences after, bool at_once, std::shared_ptr<event> until, std::function<void()> run);
/// The task has been executed, and is complete when its event is fulfilled.
void complete_later(member& me, dependences after, std::shared_ptr<event> until);

/// Does nobody have to wait, and is nothing to be kept?
inline bool nothing_pending(const member& me) { return me.pending == nullptr; }

void finish_children(member& me);
void finish_before(member& me, const dependences& after);
void finish_group(member& me, const task_group& group);

}  // namespace weir::openmp
