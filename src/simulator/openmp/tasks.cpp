#include "simulator/openmp/tasks.hpp"

#include <utility>

#include "openmp/tasks/completion.hpp"
#include "simulator/openmp/members.hpp"

namespace weir::simulator::openmp {

using std::memory_order_acquire;
using std::memory_order_relaxed;

team_tasks::team_tasks(unsigned members)
    : size_(members), of_each_(std::make_unique<of_member[]>(members)), offers_(members) {}

// The member that generates the first task allocates the scheduler.
void team_tasks::begin_to_have_tasks() {
  if (std::exchange(begun_, true)) return;
  engine::here().allocated(&with_priority_, sizeof with_priority_);
}

// Each member makes its own.
team_tasks::of_member& team_tasks::of(const member& me) {
  of_member& queue = of_each_[me.number];
  if (!std::exchange(queue.begun, true)) engine::here().allocated(&queue, sizeof queue);
  return queue;
}

// As task_pool::make() and refill().
task& team_tasks::new_task(member& me) {
  pool& memory = of(me).memory;
  if (memory.free == nullptr) memory.free = memory.returned.exchange(nullptr, memory_order_acquire);
  if (memory.free == nullptr) {
    constexpr std::size_t several = 4096 / 256;
    memory.blocks.push_back(std::make_unique<task[]>(several));
    task* const block = memory.blocks.back().get();
    engine::here().allocated(block, several * sizeof(task));
    for (std::size_t i = 0; i < several; ++i) block[i].next = std::exchange(memory.free, &block[i]);
  }
  task& t = *std::exchange(memory.free, memory.free->next);
  t.below.store(task::living);
  t.executor.store(nullptr, memory_order_relaxed);
  t.credit = 0;
  t.home = &me;
  return t;
}

void team_tasks::generate(member& me, std::uint64_t data) {
  begin_to_have_tasks();
  task& t = new_task(me);
  t.run.store(1);
  t.data.store(data);
  task& parent = *me.tasks.executing;
  t.parent.store(&parent, memory_order_relaxed);
  t.depth.store(parent.depth.load(memory_order_relaxed) + 1, memory_order_relaxed);
  t.group.store(parent.group.load());
  (void)weir::openmp::count_child(parent);
  if (of(me).ready.push(&t, weir::openmp::refusals_of_full_queue(capacity, size_))) {
    // The fence, for which the stores before it are complete.
    engine::here().drain();
    if (!offers_.of(me.number).is_there()) offers_.add(me.number);
    (void)asleep_.load();
  } else {
    execute(me, t);
  }
}

task* team_tasks::newest(member& me, const task* bound) {
  return of(me).ready.pop([bound](const task* it) { return weir::openmp::is_below(it, bound); });
}

// As task_scheduler::find(), without lists of tasks with a priority.
task* team_tasks::find(member& me, const task* bound) {
  if (with_priority_.load() != 0) return nullptr;
  if (task* const t = newest(me, bound)) return t;
  if (shared_count_.load() != 0) return nullptr;
  const unsigned longest_pause = weir::openmp::search::longest_pause(size_);
  const auto queue_of = [this](unsigned victim) -> auto& { return of_each_[victim].ready; };
  return weir::openmp::steal_from(queue_of, offers_, of(me).looks, me.number, longest_pause, bound, me.tasks.looks_everywhere,
                                  [] {});
}

void team_tasks::execute(member& me, task& t) {
  task* const interrupted = std::exchange(me.tasks.executing, &t);
  t.executor.store(&me, memory_order_relaxed);
  (void)t.run.load();
  compute(me.number, t.data.load());
  me.tasks.executing = interrupted;
  t.executor.store(nullptr, memory_order_relaxed);
  complete(me, t);
}

void team_tasks::complete(member& me, task& t) {
  const auto give_back = [&](task& executed) {
    pool& home = of_each_[executed.home->number].memory;
    if (executed.home == &me)
      executed.next = std::exchange(home.free, &executed);
    else
      of(me).memory.borrowed.give_back(executed, home.returned);
  };
  (void)t.group.load();
  const auto executes = [&](const task& executed) { return me.tasks.executing == &executed; };
  weir::openmp::complete_counted(t, executes, &me, give_back, [](member& executor) { executor.tasks.task_gate.open(); });
}

bool team_tasks::work::take() {
  if (!of.begun_) return false;
  if (me.tasks.taken_task == nullptr) me.tasks.taken_task = of.find(me, bound);
  return me.tasks.taken_task != nullptr;
}

bool team_tasks::work::execute() {
  if (me.tasks.taken_task == nullptr) return false;
  of.execute(me, *std::exchange(me.tasks.taken_task, nullptr));
  return true;
}

void team_tasks::work::fall_asleep(const simulated::gate&) { me.tasks.looks_everywhere = true; }
void team_tasks::work::awake() { me.tasks.looks_everywhere = false; }

void team_tasks::finish_children(member& me) {
  task& parent = *me.tasks.executing;
  while (task::incomplete_in(parent.below.load(memory_order_acquire)) != parent.credit) {
    task* const t = with_priority_.load() == 0 ? newest(me, &parent) : nullptr;
    if (t != nullptr) {
      execute(me, *t);
      continue;
    }
    const auto ready = [&](std::uint64_t) { return task::incomplete_in(weir::openmp::settle(parent)) == 0; };
    if (!ready(0)) await(learned_, me, &parent, parent.below, me.tasks.task_gate, ready);
    return;
  }
}

void team_tasks::finish_tasks(member& me) {
  task& executed = me.tasks.implicit;
  if (executed.below.load(memory_order_acquire) == 0) return;
  const auto ready = [&](std::uint64_t) { return task::without_visitors(weir::openmp::settle(executed)) == 0; };
  await(learned_, me, nullptr, executed.below, me.tasks.task_gate, ready);
}

}  // namespace weir::simulator::openmp
