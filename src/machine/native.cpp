#include <weir/machine/native.hpp>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <new>

#include <sched.h>

#include "scheduling.hpp"
#include "system/errno_kept.hpp"
#include "system/processor_mask.hpp"
#include "system/running_now.hpp"
#include "yield_doubt.hpp"

namespace weir {

namespace {
constexpr double between_looks_home = 5e3;  // microseconds: a migration costs a few
constinit thread_local int home = -1;

// Runs before the program has created threads.
[[gnu::constructor]] void guess_what_yields_cost() try {
  const auto processors = processor_mask::of_this_thread();
  const auto running = running_now();
  if (processors && running && static_cast<int>(*running) > processors->count()) doubt_of_yields.begin();
} catch (const std::bad_alloc&) {  // then yields are tried
}

/// Restricts the calling thread to one of the processors that it may run on, then allows all of them again, unless another
/// program (taskset) has set another mask meanwhile, because a migration may take long. A mask that is set between the look and
/// the following call, within about a microsecond, is lost: the system has no call that does both.
void move_to(int processor) noexcept try {
  const auto allowed = processor_mask::of_this_thread();
  if (!allowed || !allowed->has(processor)) return;
  processor_mask one(processor + 1);
  one.add(processor);
  if (one.apply() != 0) return;
  const auto now = processor_mask::of_this_thread();
  if (now && now->count() == 1 && now->has(processor)) allowed->apply();
} catch (const std::bad_alloc&) {  // then the thread stays where it is
}

#if defined(__x86_64__)
using clock = std::chrono::steady_clock;

/// The counter and the clock at one moment.
struct instant {
  std::uint64_t ticks = 0;
  clock::time_point time;
};

instant now() {
  // Take the shortest of a few readings: the thread may lose its processor between reading the two clocks.
  instant best;
  for (auto least = std::numeric_limits<std::uint64_t>::max(), tries = std::uint64_t{4}; tries > 0; --tries) {
    const std::uint64_t before = native::ticks();
    const auto time = clock::now();
    if (const std::uint64_t passed = native::ticks() - before; passed < least) {
      least = passed;
      best = {before + passed / 2, time};
    }
  }
  return best;
}

// Taken early, so that the first user of the rate need not wait 50 us for it.
constinit instant loaded;
[[gnu::constructor(101)]] void when_loaded() { loaded = now(); }

double measured_ticks_per_microsecond() {
  instant from = loaded, to = now();
  // If the computer has slept since, or the virtual machine has moved to another host, the rate would be wrong.
  if (from.ticks == 0 || to.time - from.time > std::chrono::milliseconds(100)) from = to;
  while (to.time - from.time < std::chrono::microseconds(50)) to = now();
  return static_cast<double>(to.ticks - from.ticks) / std::chrono::duration<double, std::micro>(to.time - from.time).count();
}
#endif
}  // namespace

constinit std::atomic<bool> native::is_crowded{false};
constinit thread_local bool native::is_displaced = false;
constinit yield_doubt doubt_of_yields;
constinit thread_local std::uint64_t native::next_look_home = std::numeric_limits<std::uint64_t>::max();

void native::live_on(int processor) noexcept {
  if (processor == home) return;
  home = processor;
  next_look_home = processor < 0 ? std::numeric_limits<std::uint64_t>::max() : 0;
  if (processor >= 0 && !doubt_of_yields.holds()) look_home(ticks());
}

void native::look_home(std::uint64_t now) noexcept {
  next_look_home = now + static_cast<std::uint64_t>(between_looks_home * ticks_per_microsecond());
  if (scheduled_by != nullptr) return;  // the kernel thread is a virtual processor's
  const errno_kept around;
  if (sched_getcpu() != home) move_to(home);
}

constinit thread_local const scheduling* scheduled_by = nullptr;
constinit thread_local std::uint32_t sleeps_by = ~0u;
constinit std::atomic<void (*)(std::atomic<std::uint32_t>&, unsigned) noexcept> wake_scheduled{nullptr};

void (*native::in_user_space() noexcept)() noexcept {
  return scheduled_by != nullptr ? scheduled_by->switch_to_another : nullptr;
}

void native::yield() noexcept {
  if (const scheduling* const by = scheduled_by)
    by->yield();
  else
    yield_and_learn();
}

void yield_and_learn() noexcept {
  if (!doubt_of_yields.holds()) [[likely]] return yield_to_kernel();
  const std::uint64_t from = native::ticks();
  yield_to_kernel();
  doubt_of_yields.yielded(from, native::ticks(), native::ticks_per_microsecond());
}

bool native::yields_cost_slices(std::uint64_t now) noexcept {
  return doubt_of_yields.holds() && doubt_of_yields.at_wait(now, ticks_per_microsecond());
}

double native::ticks_per_microsecond() {
#if defined(__x86_64__)
  // No static initialization, for which other threads wait: a child forked meanwhile would wait for ever.
  // relaxed: the number stands for itself; all threads use the first one measured.
  static constinit std::atomic<double> known{0};
  double rate = known.load(std::memory_order_relaxed);
  if (rate != 0) [[likely]] return rate;
  const double measured = measured_ticks_per_microsecond();
  return known.compare_exchange_strong(rate, measured, std::memory_order_relaxed) ? measured : rate;
#else
  return 1000.0;
#endif
}

}  // namespace weir
