#include "threads/preemption/monitor.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <pthread.h>
#include <sys/prctl.h>

#include "machine/time_slice.hpp"
#include "system/clocks.hpp"
#include "system/environment.h"
#include "system/filter.hpp"
#include "system/fork_page.hpp"
#include "system/read_by_kernel.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/preemption/above.hpp"
#include "threads/preemption/cancelled.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/preemption/pace.hpp"
#include "threads/preemption/rest.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/deadlines.hpp"
#include "threads/scheduling/maker.hpp"
#include "threads/scheduling/parking.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/scheduling/service_thread.hpp"
#include "threads/scheduling/sleepers.hpp"

namespace weir::threads {

namespace {

struct with_rest : native_threads {
  static void wake(const std::atomic<std::uint32_t>& word) {
    native_threads::wake(word);
    rest::wake();
  }
};
alignas(64) WEIR_WRITTEN_BY_FORKS constinit basic_idle_sleep<with_rest> idle_sleep;  // asked often: apart from the locks there
// When the monitor looks next, in nanoseconds; the largest number: it has not decided yet. A thread that finds that too late
// counts an alarm. seq_cst, all: a deadline is linked under a lock before it is compared, and the monitor reads the alarms before
// it takes the lock.
constinit std::atomic<std::uint64_t> wakes_at{~std::uint64_t{0}};
constinit std::atomic<std::uint32_t> alarms{0};
// relaxed: a hint.
constinit std::atomic<std::uint64_t> price_of_sleep{20'000};

// How long a body that computes keeps the processor alone, in nanoseconds.
constexpr std::uint64_t slice = 17'000'000;
// After a blocked body was found, the next look comes at the latest after this fraction of the time since then: where one body
// blocks, others soon will, and each keeps its processor until it is found.
constexpr unsigned looks_since_found = 16;
// The number of looks in quick succession after a body was found to spin or to block.
constexpr unsigned early_looks = 8;
// Bodies that wait by more than spinning give the processor away by themselves, more often than so between two looks. They pause
// for a moment first: ticks there would only delay them.
constexpr std::uint32_t few_switches = 2;
// A tick finds a body that polls, and at the latest the third one a body that spins otherwise. One more may be lost on the way.
constexpr unsigned ticks_to_find = 4;
// The number of looks at which a body at `pause` counts as one that spins after ticks have found that some do, though they wait
// otherwise, too.
constexpr unsigned looks_after_spins = 64;
// The number of consecutive looks that find nobody waiting before the monitor sleeps: waking the monitor costs a system call.
constexpr unsigned most_idle_looks = 8;
constexpr std::uint64_t never = ~std::uint64_t{0};

// relaxed: a look that sees it late treats a body that waits for its turn as one that blocks.
constinit std::atomic<bool> bodies_wait_for_turns{false};

// Between ticks, in nanoseconds; 0: by the price of a look. For tests (tests/threads/CMakeLists.txt). Read early: the monitor
// begins while the program may change its environment.
constinit std::uint64_t said_between_ticks = 0;
[[gnu::constructor]] void when_loaded() {
  if (const char* const us = weir_value_of(WEIR_TEST_TICK_US)) said_between_ticks = 1000 * std::strtoull(us, nullptr, 10);
}

void* begin(void* given);
WEIR_WRITTEN_BY_FORKS constinit service_thread its_thread(begin);

// Does the monitor's thread have file descriptors of its own?
bool has_own_files = false;

class monitor {
 public:
  explicit monitor(unsigned number) : number_(number) {}

  void run() {
    prepare();
    for (;;) {
      wakes_at.store(never);
      const std::uint32_t alarms_before = alarms.load();
      std::uint64_t next, due;
      {
        claimant c;
        if (!its_thread.is_present(number_)) return;
        next = look(c);
        due = look_at_threads(c, alarms_before);
      }
      if (trampolines_are_wanted()) wake_maker();
      wake_those_left();
      due = std::min(due, wake_those_due(now_by(CLOCK_MONOTONIC)));
      wakes_at.store(std::min(next, due));
      if (next == never)
        sleep(alarms_before, due);
      else
        native_threads::sleep_while_until(alarms, alarms_before, std::min(next, due));
      learn();
    }
  }

 private:
  void may_spin(processor& p) {
    if (spinning_ != std::size(may_spin_)) may_spin_[spinning_++] = &p;
  }
  static void prepare();
  std::uint64_t look(claimant& c);
  std::uint64_t look_at_threads(claimant& c, std::uint32_t alarms_before);
  void look_at(claimant& c, processor& p, std::uint64_t now);
  std::uint64_t look_at_stood_in(processor& p, std::uint64_t now);
  bool is_misplaced(const processor& p) const;
  std::uint64_t tick_more_rarely(processor& p, unsigned to_level, std::uint64_t now);
  bool hand_off(claimant& c, processor& p, std::uint32_t switches, std::uint64_t now, bool blocked);
  std::uint64_t hand_off_if_wanted(claimant& c, processor& p, std::uint64_t now);
  std::uint64_t look_at_cancelled(claimant& c, processor& p) const;
  std::uint64_t until_next(unsigned level, std::uint64_t now) const;
  void sleep(std::uint32_t alarms_before, std::uint64_t due);
  void learn();

  const unsigned number_;
  pace pace_{said_between_ticks};
  std::uint64_t had_ = 0;  // of processor time, in all looks
  unsigned idle_looks_ = 0;
  looks_at_threads looks_at_threads_;
  rest rest_;
  std::uint32_t alarms_seen_ = 0;
  std::uint64_t found_ = 0;  // when the last body that blocks has been
  bool has_found_ = false;   // in this look: a body that spins or blocks
  // The processors whose bodies are to get a tick. Processors beyond this number get one at the next look.
  processor* may_spin_[64];
  std::size_t spinning_ = 0;
};

// The monitor gets file descriptors of its own: a program that closes all its files, or relies on a number, never meets one of
// the monitor's. The monitor closes its copies of the program's descriptors, which leaves those of the program open.
void monitor::prepare() {
  constexpr unsigned unshare_first = 2;  // CLOSE_RANGE_UNSHARE, of Linux 5.9
  prctl(PR_SET_NAME, "weir-monitor");
  prctl(PR_SET_TIMERSLACK, 1);
  has_own_files = filter::call<SYS_close_range>(0, static_cast<long>(~0u), unshare_first) == 0;
  ask_for_shortest_slice();  // on a busy processor it runs at once
}

std::uint64_t monitor::look(claimant& c) {
  const std::uint64_t now = now_by(CLOCK_MONOTONIC);
  std::uint64_t next = never;
  spinning_ = 0;
  c.for_each([&](processor& p) {
    if (p.has_cancelled.load(std::memory_order_relaxed)) next = std::min(next, now + look_at_cancelled(c, p));
    if (p.wants_stand_in()) next = std::min(next, now + hand_off_if_wanted(c, p, now));
    if (p.is_stood_in_for()) {
      next = std::min(next, look_at_stood_in(p, now));
      return;
    }
    if (!p.has_ready()) {
      if (is_misplaced(p)) next = std::min(next, tick_more_rarely(p, 4, now));
      return;
    }
    if (bodies_wait_for_turns.load(std::memory_order_relaxed)) {
      p.seen.since = 0;
      p.seen.due = now + pace_.after(pace::last_level);
    } else if (now + pace_.together() >= p.seen.due) {
      look_at(c, p, now);
    }
    next = std::min(next, p.seen.due);
  });
  if (spinning_ != 0) message_sender().tick({may_spin_, spinning_});
  if (next != never) {
    idle_looks_ = 0;
    return next;
  }
  return ++idle_looks_ < most_idle_looks ? now + until_next(pace::last_level, now) : never;
}

// At the program's threads that no processor drives. When the next look is due.
std::uint64_t monitor::look_at_threads(claimant& c, std::uint32_t alarms_before) {
  const auto used = [] { return now_by(CLOCK_PROCESS_CPUTIME_ID) - now_by(CLOCK_THREAD_CPUTIME_ID); };
  const std::uint64_t now = now_by(CLOCK_MONOTONIC);
  const bool is_called = std::exchange(alarms_seen_, alarms_before) != alarms_before;
  if (!looks_at_threads_.are_needed(now, is_called, used)) return never;
  const std::uint64_t due = look_for_deprivation(c, now);
  return looks_at_threads_.next(now, std::min(due, attach_running_threads(now_by(CLOCK_MONOTONIC))), used);
}

// Where nobody is ready whom a look would see waiting. Ticks come at distances that grow to that of the level. Returns when the
// next one is due.
std::uint64_t monitor::tick_more_rarely(processor& p, unsigned to_level, std::uint64_t now) {
  observation& seen = p.seen;
  if (now < seen.due) return seen.due;
  seen.level = std::min(seen.level + 1, to_level);
  if (p.current()->held.load(std::memory_order_relaxed) == 0) may_spin(p);
  return seen.due = now + pace_.after(seen.level);
}

// A body that has computed for a slice, and keeps its kernel thread beside a stand-in, may wait by spinning later: a tick makes
// it return. When the next one is due; never: the body is blocked, or the thread's own.
std::uint64_t monitor::look_at_stood_in(processor& p, std::uint64_t now) {
  return p.seen.blocked || looks_at_threads_.rests() ? never : tick_more_rarely(p, 3, now);
}

// A body that is alone where it does not belong goes home, or to the others, when it waits next. If it waits by spinning, a tick
// tells. Until then it keeps the processor from those for whom it waits: both kernel threads may have one processor. At rest it
// blocks: if it spins later, the process uses processor time.
bool monitor::is_misplaced(const processor& p) const {
  return !looks_at_threads_.rests() && !p.sleeps() && ((p.current()->is_adopted && p.is_left()) || p.has_bodies_of_others());
}

// Until the next look. A body that has been cancelled may compute for long before it comes to a cancellation point.
std::uint64_t monitor::look_at_cancelled(claimant& c, processor& p) const {
  if (c.has_asked_to_detach(p))
    end_call_of_cancelled(p);
  else
    p.has_cancelled.store(false, std::memory_order_relaxed);
  return pace_.after(std::min(++p.seen.cancelled, pace::last_level));
}

std::uint64_t monitor::until_next(unsigned level, std::uint64_t now) const {
  return std::min(pace_.after(level), std::max((now - found_) / looks_since_found, pace_.soon()));
}

// Two looks in quick succession ask whether the same body still runs. The next look comes later, unless bodies are known to spin
// or to block.
void monitor::look_at(claimant& c, processor& p, std::uint64_t now) {
  observation& seen = p.seen;
  const std::uint32_t switches = p.switches(), spins = p.spins.load(std::memory_order_relaxed);
  // Less than zero where bodies that spin find no other one to switch to.
  const std::uint32_t jumped = p.jumped.load(std::memory_order_relaxed);
  const std::uint32_t waits_by_spinning = spins - seen.spins + (jumped - seen.jumped);
  const auto otherwise = static_cast<std::int32_t>(switches - seen.switches - waits_by_spinning);
  // A tick comes at a moment of its own: where two in a row find a body that spins, bodies do so most of the time.
  has_found_ |= spins != seen.spins;
  if (spins != seen.spins)
    seen.spun = seen.spun != 0 ? looks_after_spins : 1;
  else if (seen.spun != 0)
    --seen.spun;
  p.only_spins.store(otherwise <= static_cast<std::int32_t>(few_switches) || seen.spun > 1, std::memory_order_relaxed);
  if (seen.switches != switches || seen.since == 0) {
    seen.jumped = jumped;
    // A body yields at a trampoline without ticks. So ticks end where trampolines are all that bodies need.
    if (std::exchange(seen.spins, spins) != spins) seen.spinning = 2 * early_looks;
    seen.switches = switches;
    seen.since = now;
    seen.had = processor_time(p.thread);
    seen.ticks = 0;
    if (seen.spinning != 0) {
      --seen.spinning;
      seen.due = now + pace_.between_ticks();
      may_spin(p);
    } else if (!std::exchange(seen.twice, true)) {
      seen.due = now + pace_.soon();
    } else if (seen.early_looks != 0) {
      --seen.early_looks;
      seen.due = now + pace_.soon();
    } else {
      seen.twice = false;
      seen.level = std::min(seen.level + 1, pace::last_level);
      seen.due = now + until_next(seen.level, now);
    }
    return;
  }
  ++seen.ticks;
  const bool may_be_found = seen.spinning != 0 && seen.ticks <= ticks_to_find;
  seen.due = now + (may_be_found ? pace_.between_ticks() : until_next(std::min(seen.ticks, pace::last_level), now));
  if (p.current()->held.load(std::memory_order_relaxed) != 0) return;
  const std::uint64_t had = processor_time(p.thread) - seen.had;
  const bool blocked = had < (now - seen.since) / 2 && is_in_system(p.thread, true);
  if (!blocked && had < slice) return may_spin(p);
  hand_off(c, p, switches, now, blocked);
}

bool monitor::hand_off(claimant& c, processor& p, std::uint32_t switches, std::uint64_t now, bool blocked) {
  const bool done = c.hand_off(p, switches, blocked);
  p.seen.early_looks = early_looks;
  p.seen.level = 0;
  p.seen.blocked = blocked;
  if (blocked) found_ = now;
  has_found_ = true;
  return done;
}

// Until it is asked again: the body may not be in the system yet, and there may be no stand-in. A processor that sleeps is asked
// in vain: its body has left the call by a signal's handler. A stand-in that blocks hands off what it has for a seat, and nobody
// stands in for it.
std::uint64_t monitor::hand_off_if_wanted(claimant& c, processor& p, std::uint64_t now) {
  if (p.sleeps() || p.is_stood_in_for() || hand_off(c, p, p.switches(), now, true)) p.has_stand_in();
  return pace_.soon();
}

// Sleeps until a body becomes ready, or a deadline is due.
void monitor::sleep(std::uint32_t alarms_before, std::uint64_t due) {
  idle_looks_ = 0;
  const auto any = [&] {
    claimant c;
    bool some = !its_thread.is_present(number_) || alarms.load() != alarms_before;
    c.for_each([&](processor& p) {
      p.seen.level = 0;
      some |= p.has_ready() || is_misplaced(p) || p.has_cancelled.load(std::memory_order_relaxed);
    });
    // Here: a stand-in that no longer acts for a seat either is seen, or wakes this thread.
    if (looks_at_threads_.rests()) due = std::min(due, end_stand_ins_at_rest(looks_at_threads_.since(), now_by(CLOCK_MONOTONIC)));
    return some;
  };
  if (looks_at_threads_.rests())
    return idle_sleep.sleep_unless(any, [&](const auto& word) {
      return rest_.sleep_while(word, due, looks_at_threads_.until(), [this] { return its_thread.is_present(number_); });
    });
  if (due == never) return idle_sleep.sleep_unless(any);
  idle_sleep.sleep_unless(any, [due](const auto& word) { return native_threads::sleep_while_until(word, 1, due); });
}

// A look that sent ticks does not count, because the price of a look does not include ticks.
void monitor::learn() {
  const std::uint64_t had = now_by(CLOCK_THREAD_CPUTIME_ID), took = had - std::exchange(had_, had);
  pace_.looked(std::exchange(has_found_, false), had, now_by(CLOCK_MONOTONIC));
  if (spinning_ != 0 || took == had) return;
  pace_.took(took);
  price_of_sleep.store(pace_.price(), std::memory_order_relaxed);
}

void* begin(void* given) {
  monitor(service_thread::number_of(given)).run();
  return nullptr;
}

}  // namespace

bool is_in_system(pid_t thread, bool where_not_told) {
  char name[64], first;
  std::snprintf(name, sizeof name, "/proc/self/task/%d/syscall", static_cast<int>(thread));
  return has_own_files && read_by_kernel(name, &first, 1) > 0 ? first != 'r' : where_not_told;
}

std::optional<run_times> times_of(pid_t thread) { return has_own_files ? run_times_of(thread) : std::nullopt; }

void wait_for_turns(bool so) { bodies_wait_for_turns.store(so, std::memory_order_relaxed); }

void wake_monitor() { idle_sleep.has_changed(); }

std::uint64_t price_of_sleep_ns() { return price_of_sleep.load(std::memory_order_relaxed); }

void wake_monitor_at(std::uint64_t time_ns) {
  if (time_ns >= wakes_at.load()) return;
  alarms.fetch_add(1);
  native_threads::wake(alarms);
  idle_sleep.wake();
}

void start_monitor() { its_thread.start(); }

void stop_monitor() {
  its_thread.stop();
  idle_sleep.wake();
}

WEIR_RUN_BY_FORKS void forget_monitor() {
  its_thread.forget();
  idle_sleep.forget();
  rest::forget();
  forget_deadlines();
  forget_message_handler();
  forget_placing();
}

bool monitor_can_run() { return !its_thread.is_refused(); }

void native_threads::has_made_ready() { idle_sleep.has_changed(); }
void native_threads::wants_stand_in() { wake_monitor_at(0); }

}  // namespace weir::threads
