#include "openmp/teams/waiting.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <weir/machine/processors.hpp>

#include "machine/scheduling.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/settings/set_by_routines.hpp"
#include "openmp/support/errors.hpp"
#include "openmp/support/waits.hpp"
#include "openmp/teams/sleepers.hpp"
#include "openmp/teams/team.hpp"

namespace weir::openmp {

namespace {
double asked_awake_us() {
  constexpr double always = 1e15, a_spin = 0.02;  // a pause instruction takes 10 to 40 ns on today's processors
  const settings& s = initial_settings();
  if (s.spin_count) return *s.spin_count == 0 ? -1 : std::min(always, static_cast<double>(*s.spin_count) * a_spin);
  if (const auto ms = blocktime_ms()) return *ms == block_never ? always : *ms == 0 ? -1 : *ms * 1e3;
  if (s.waiting == wait_policy::active) return always;
  if (s.waiting == wait_policy::passive) return -1;
  // Under a quota each microsecond of waiting awake is taken from the program's own computing.
  return under_quota() ? 0 : waiting::automatic_constants::longest_awake;
}

std::size_t processors_of_process() {
  static constinit std::atomic<std::size_t> known{0};
  // relaxed: a number with which no other data goes; all threads would find the same one.
  std::size_t processors = known.load(std::memory_order_relaxed);
  if (processors == 0) [[unlikely]] known.store(processors = affinity().size(), std::memory_order_relaxed);
  return processors;
}
}  // namespace

double awake_us() {
  // A wait is noted only when the member sleeps, so every wait must end in a sleep.
  constexpr double longest = waiting::automatic_constants::longest_awake;
  return initial_settings().deadlocks == deadlocks::ignore ? asked_awake_us() : std::min(asked_awake_us(), longest);
}

bool oversubscribed(unsigned size) { return size > processors_of_process(); }

unsigned processors_of(const team& t) {
  return t.processors != 0 ? t.processors : static_cast<unsigned>(processors_of_process());
}

bool oversubscribed(const team& t) { return t.size > processors_of(t); }

// The task may be one of a region that has begun, and that this worker has not heard of yet: it would be executed before what the
// region's code does first, like the beginning of a reduction. The worker keeps the task until it begins the region. relaxed: who
// has added the task has stored the episode before, or has seen it.
bool task_work::is_too_early() const {
  return &what_ == &waits::after_region && me_->released->load(std::memory_order_relaxed) != me_->was_in;
}

bool task_work::find() {
  // The barrier is in another member's task; in an own task finish_tasks() would have found it.
  if (bound_ == nullptr && me_->executing != &me_->implicit) [[unlikely]] end_for(errors::barrier_in_task);
  if (me_->taken_task == nullptr) me_->taken_task = find_task(*me_, bound_);
  // Somebody has taken the member off those that sleep before it was at its gate: if it slept now, nobody would wake it for the
  // next task.
  if (me_->looks_everywhere && !is_among_sleepers(*me_)) [[unlikely]] return true;
  return me_->taken_task != nullptr && !is_too_early();
}

bool task_work::execute() {
  if (me_ == nullptr || me_->taken_task == nullptr || is_too_early()) return false;
  // At the end of a region the thread is no longer the member in whose name it executes the task.
  member* const outer = std::exchange(current, me_);
  execute_task(*me_, *std::exchange(me_->taken_task, nullptr));
  current = outer;
  return true;
}

void task_work::fall_asleep(gate& at) {
  if (me_ == nullptr) return;
  note_wait(*me_, &what_);
  sleeps_by = mark_of(*me_);
  me_->looks_everywhere = true;
  falls_asleep(*me_, at, [] { std::atomic_thread_fence(std::memory_order_seq_cst); });
}

void task_work::awake() {
  if (me_ == nullptr) return;
  sleeps_by = ~0u;
  me_->looks_everywhere = false;
  note_wait(*me_, nullptr);
  is_awake(*me_);
}

}  // namespace weir::openmp
