#include "openmp/tasks/task.hpp"

#include <algorithm>
#include <utility>

#include "openmp/settings/initial.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/support/errors.hpp"
#include "openmp/tasks/at_barriers.hpp"
#include "openmp/tasks/completion.hpp"
#include "openmp/tasks/event.hpp"
#include "openmp/tasks/task_group.hpp"

namespace weir::openmp {

namespace {

// When a task has this many incomplete children, it generates others faster than they are executed, and executes some itself
// until half of them are left. If none can begin, the children may be waiting for this very task. The task then goes on after a
// few yields, whose number grows with the number of children. The limit is needed because tasks that depend on others are in no
// queue that could be full.
constexpr std::uint64_t most_children = 4096;

/// Returns what count_child() does.
inline std::uint64_t adopt(member& me, task& t) {
  task& parent = *me.executing;
  // relaxed, all: the task is published later.
  t.parent.store(&parent, std::memory_order_relaxed);
  t.depth.store(parent.depth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  t.group = parent.group;
  t.final = t.final | parent.final;
  t.inherits = parent.inherits;
  if (!t.inherits) [[unlikely]] t.icv = me.icv;
  if (t.group != nullptr) t.group->incomplete.fetch_add(1, std::memory_order_relaxed);
  return count_child(parent);
}

/// Makes the node a successor of siblings. True: it awaits none.
bool order(member& me, const std::shared_ptr<dependence_node>& node, const dependences& after) {
  task& parent = *me.executing;
  if (parent.children == nullptr) parent.children.reset(new dependence_table);
  return parent.children->add(node, after);
}

/// Waits for the siblings that the node conflicts with, and for its exclusions.
std::shared_ptr<dependence_node> wait_as_node(member& me, const dependences& after) {
  const auto node = std::make_shared<dependence_node>(nullptr);
  node->waiter = &me;
  if (!order(me, node, after))
    wait_for_tasks(me, waits::dependences, node->awaited, [](unsigned siblings) { return siblings == 0; });
  happens_after(node.get());
  return node;
}

void set_node(task& t, std::shared_ptr<dependence_node> node) {
  t.has_node = node != nullptr;
  t.node = std::move(node);
}

[[gnu::noinline]] void exchange_controls(member& me, task& outer, const task& t) {
  if (!outer.inherits) outer.icv = me.icv;
  me.icv = t.inherits ? me.of->inherited : t.icv;
}

inline void begin(member& me, task& t) {
  happens_after(&t);
  if (t.has_node) happens_after(t.node.get());
  task& outer = *std::exchange(me.executing, &t);
  t.next = &outer;
  if (!outer.inherits || !t.inherits) [[unlikely]] exchange_controls(me, outer, t);
  t.executor.store(&me, std::memory_order_relaxed);
}

void end(member& me, task& t) {
  task& outer = *t.next;
  me.executing = &outer;
  if (!outer.inherits || !t.inherits) [[unlikely]] me.icv = outer.inherits ? me.of->inherited : outer.icv;
  t.executor.store(nullptr, std::memory_order_relaxed);  // nobody changes its credit from here on
  if (!t.detached || finish_detached(t)) complete(&me, t);
}

void go_on(member* me, const task& completed, const dependence_node& next) {
  if (next.waiter != nullptr)
    next.waiter->task_gate.open();
  else
    scheduler_of(*completed.home).release(me, *next.dependent);
}

// noinline, here and below: otherwise code that most tasks do not need would make all of them save registers.
[[gnu::noinline]] void release_successors(member* me, task& t) {
  const auto node = std::move(t.node);
  t.has_node = false;
  happens_before(node.get());
  node->mutual.take();
  // release: what the task did, for siblings that find it complete.
  node->complete.store(true, std::memory_order_release);
  const auto successors = std::move(node->successors);
  node->mutual.release();
  for (const auto& s : successors)
    if (awaits_no_more(s)) go_on(me, t, *s);
  if (node->exclusions.empty()) [[likely]] return;
  for (const auto& e : std::exchange(node->exclusions, {}))
    if (const auto next = e->pass_on(); next != nullptr && takes_exclusions(next)) go_on(me, t, *next);
}

inline void give_back(member* me, task& t) {
  task_scheduler& scheduler = scheduler_of(*t.home);
  if (t.home == me) [[likely]]
    scheduler.pool_of(*me).give_back(t);
  else if (me != nullptr)
    scheduler.pool_of(*me).give_back_to(scheduler.pool_of(*t.home), t);
  else
    scheduler.pool_of(*t.home).give_back_from_elsewhere(t);
}

void throttle(member& me) {
  // relaxed: an estimate.
  const auto children = [&] {
    return task::incomplete_in(me.executing->below.load(std::memory_order_relaxed)) - me.executing->credit;
  };
  for (std::uint64_t yields = children() / most_children; children() > most_children / 2;) {
    if (task* const t = find_task(me, me.executing)) {
      execute_task(me, *t);
    } else {
      if (yields-- == 0) return;
      native::yield();
    }
  }
}

[[gnu::noinline]] void add_or_execute(member& me, task& t, std::uint64_t siblings) {
  if (!scheduler_of(me).add(me, t))
    execute_task(me, t);
  else if (siblings > most_children)
    throttle(me);
}

[[gnu::noinline]] void tell_or_throttle(member& me, task_scheduler& scheduler, std::uint64_t siblings) {
  scheduler.tell(me);
  if (siblings > most_children) throttle(me);
}

/// The task may begin. All calls are the last that is done, so that nobody saves registers.
[[gnu::always_inline]] inline void add(member& me, task& t, bool undeferred, std::uint64_t siblings) {
  // A team of one executes the task at once: there is no other member.
  if (undeferred || me.of->size == 1) return execute_task(me, t);
  // acquire: the scheduler, if another member has made it.
  task_scheduler* const scheduler = me.of->scheduler.load(std::memory_order_acquire);
  if (scheduler == nullptr) [[unlikely]]
    return add_or_execute(me, t, siblings);
  const auto added = scheduler->add_quickly(me, t);
  if (added == task_scheduler::added::no) [[unlikely]] return add_or_execute(me, t, siblings);
  if (added == task_scheduler::added::but_tell || siblings > most_children) [[unlikely]]
    tell_or_throttle(me, *scheduler, siblings);
}

}  // namespace

void discard(member& me, task& t) { give_back(&me, t); }

void set_priority(task& t, int priority) { t.priority = std::clamp(priority, 0, initial_settings().max_task_priority); }

void generate(member& me, task& t, bool undeferred) {
  undeferred = undeferred || me.executing->final;
  const std::uint64_t siblings = adopt(me, t);
  add(me, t, undeferred, siblings);
}

void generate(member& me, task& t, bool undeferred, const dependences& after) {
  undeferred = undeferred || me.executing->final;
  if (undeferred) set_node(t, wait_for_undeferred(me, t.detached, after));
  const std::uint64_t siblings = adopt(me, t);
  if (!undeferred && !after.empty()) {
    set_node(t, std::make_shared<dependence_node>(&t));
    if (!order(me, t.node, after)) {
      if (siblings > most_children) throttle(me);
      return;
    }
  }
  add(me, t, undeferred, siblings);
}

std::shared_ptr<dependence_node> wait_for_undeferred(member& me, bool detached, const dependences& after) {
  if (after.empty() || (!detached && me.executing->children == nullptr)) return nullptr;
  auto node = wait_as_node(me, after);
  if (detached || !node->exclusions.empty()) return node;
  // Complete before any sibling can ask for it. relaxed: its only reader is this thread's table.
  node->complete.store(true, std::memory_order_relaxed);
  return nullptr;
}

void begin_undeferred(member& me, task& t, std::shared_ptr<dependence_node> node) {
  set_node(t, std::move(node));
  adopt(me, t);
  begin(me, t);
}

void end_undeferred(member& me, task& t) { end(me, t); }

void execute_task(member& me, task& t) {
  begin(me, t);
  t.run(t);
  end(me, t);
}

task* find_task(member& me, const task* bound) {
  // acquire: the scheduler, if another member has made it.
  task_scheduler* const scheduler = me.of->scheduler.load(std::memory_order_acquire);
  return scheduler != nullptr ? scheduler->find(me, bound) : nullptr;
}

void give_back_taken_task(member& me) { scheduler_of(me).give_back(me, *std::exchange(me.taken_task, nullptr)); }

void complete(member* me, task& t) {
  if (t.has_node) [[unlikely]] release_successors(me, t);
  if (t.children != nullptr) [[unlikely]] t.children.reset();
  if (t.group != nullptr) complete_in_group(*t.group);
  complete_counted(
      t, [me](const task& executed) { return me != nullptr && me->executing == &executed; }, me,
      [me](task& executed) { give_back(me, executed); }, [](member& executor) { executor.task_gate.open(); });
}

[[gnu::noinline]] static void wait_for_children(member& me) {
  task& parent = *me.executing;
  wait_for_tasks(me, waits::taskwait, parent.below, [&](std::uint64_t) { return task::incomplete_in(settle(parent)) == 0; });
}

void finish_children(member& me) {
  task& parent = *me.executing;
  // The newest tasks of the member's queue are the children and their descendants: while there are any, the member need not wait.
  // acquire, both: what the children did; the scheduler, which another member may have created.
  while (task::incomplete_in(parent.below.load(std::memory_order_acquire)) != parent.credit) {
    task_scheduler* const scheduler = me.of->scheduler.load(std::memory_order_acquire);
    task* const t = scheduler != nullptr ? scheduler->find_own(me, &parent) : nullptr;
    if (t == nullptr) {
      wait_for_children(me);
      break;
    }
    execute_task(me, *t);
  }
  happens_after(&parent);
}

void finish_before(member& me, dependences after) {
  if (after.empty() || me.executing->children == nullptr) return;
  for (dependence& d : after)
    if (d.kind == dependence::mutex_in_out_set) d.kind = dependence::out;
  // relaxed: its only reader is this thread's table.
  wait_as_node(me, after)->complete.store(true, std::memory_order_relaxed);
}

void generate_empty(member& me, const dependences& after) {
  if (me.executing->children == nullptr) return;
  task& t = new_task(me, 0);
  t.run = [](task&) {};
  generate(me, t, false, after);
}

void yield_to_task(member& me) {
  if (task* const t = find_task(me, me.executing)) execute_task(me, *t);
}

void finish_tasks(member& me) {
  // A barrier in an explicit task: the task is itself below the implicit task, and would wait for its own completion.
  if (in_explicit_task(me)) [[unlikely]] end_for(errors::barrier_in_task);
  task_work work(&me, waits::tasks);
  me.of->learned.await(oversubscribed(*me.of), me.implicit.below, me.task_gate,
                       [&](std::uint64_t) { return task::without_visitors(settle(me.implicit)) == 0; }, work);
  // A thread that has completed a detached task may still be about to open the gate.
  wait_awake(me.implicit.below, [](std::uint64_t word) { return word == 0; });
  happens_after(&me.implicit);
  me.implicit.children.reset();
}

int task_id(task& t) {
  static std::atomic<int> next{0};
  if (t.parent.load(std::memory_order_relaxed) == nullptr) return 0;
  if (t.id == 0) t.id = next.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: the number alone matters
  return t.id;
}

}  // namespace weir::openmp
