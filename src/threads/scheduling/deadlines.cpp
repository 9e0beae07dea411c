#include "threads/scheduling/deadlines.hpp"

#include <limits>
#include <mutex>
#include <utility>

#include "system/clocks.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/sleepers.hpp"

namespace weir::threads {

namespace {

constexpr std::uint64_t billion = 1'000'000'000;

// The earliest first. Limits of one program are mostly alike, so most are linked at the end.
WEIR_WRITTEN_BY_FORKS constinit kernel_mutex linking;
WEIR_WRITTEN_BY_FORKS constinit deadline *first = nullptr, *last = nullptr;

}  // namespace

bool time_limit::has_passed() const {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec != at.tv_sec ? now.tv_sec > at.tv_sec : now.tv_nsec >= at.tv_nsec;
}

std::uint64_t time_limit::monotonic_ns() const {
  if (at.tv_sec < 0) return 0;
  if (static_cast<std::uint64_t>(at.tv_sec) > std::numeric_limits<std::uint64_t>::max() / (2 * billion))
    return std::numeric_limits<std::uint64_t>::max() / 2;
  const std::uint64_t then = in_ns(at);
  if (clock == CLOCK_MONOTONIC) return then;
  const std::uint64_t now = now_by(clock), monotonic = now_by(CLOCK_MONOTONIC);
  return then > now ? monotonic + (then - now) : 0;
}

deadline::deadline(body& sleeper, basic_event_count<native_threads>& waits_by, const time_limit& limit)
    : sleeper_(sleeper), waits_by_(waits_by), limit_(limit) {
  link();
}

deadline::~deadline() {
  const without_preemption to_the_end;
  const std::lock_guard lock(linking);
  unlink();
  sleeper_.limit = nullptr;
}

void deadline::forget(body& sleeper) {
  if (sleeper.limit == nullptr) return;
  const without_preemption to_the_end;
  const std::lock_guard lock(linking);
  std::exchange(sleeper.limit, nullptr)->unlink();
}

bool deadline::has_passed() {
  if (limit_.has_passed()) return true;
  link();
  return false;
}

bool deadline::has_missed(std::uint32_t seen) {
  const without_preemption to_the_end;
  const std::lock_guard lock(linking);  // no event of this limit comes between the two counts
  return waits_by_.has_missed(seen, events_);
}

void deadline::link() {
  const without_preemption to_the_end;  // the monitor waits for the lock
  bool is_first = false;
  {
    const std::lock_guard lock(linking);
    if (is_linked_) return;
    at_ns_ = limit_.monotonic_ns();
    sleeper_.limit = this;
    before_ = last;
    while (before_ != nullptr && before_->at_ns_ > at_ns_) before_ = before_->before_;
    behind_ = before_ != nullptr ? before_->behind_ : first;
    (before_ != nullptr ? before_->behind_ : first) = this;
    (behind_ != nullptr ? behind_->before_ : last) = this;
    is_linked_ = true;
    is_first = first == this;
  }
  if (is_first) wake_monitor_at(at_ns_);
}

void deadline::unlink() {
  if (!is_linked_) return;
  (before_ != nullptr ? before_->behind_ : first) = behind_;
  (behind_ != nullptr ? behind_->before_ : last) = before_;
  is_linked_ = false;
}

// The event comes first: a body that is about to sleep then stays awake, as after any other event.
std::uint64_t wake_those_due(std::uint64_t now_ns) {
  const std::lock_guard lock(linking);
  while (first != nullptr && first->at_ns_ <= now_ns) {
    deadline& due = *first;
    due.unlink();
    ++due.events_;
    due.waits_by_.happens();
    wake_body(due.sleeper_, woken_by::limit);
  }
  return first != nullptr ? first->at_ns_ : std::numeric_limits<std::uint64_t>::max();
}

WEIR_RUN_BY_FORKS void forget_deadlines() {
  first = last = nullptr;
  linking.forget();
}

}  // namespace weir::threads
