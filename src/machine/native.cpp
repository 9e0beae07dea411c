#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <sched.h>

namespace weir {

namespace {
constexpr double settled_for = 5e3;  // microseconds: a move costs a few
constinit thread_local int home = -1;

/// Of the processors that the calling thread may run on, that one alone; then all of them again.
void move_to(int processor) noexcept try {
  const std::vector<int> all = running_on();
  if (std::binary_search(all.begin(), all.end(), processor) && run_on({processor}) == 0) run_on(all);
} catch (const std::bad_alloc&) {  // then it stays where it is
}

#if defined(__x86_64__)
double measured_ticks_per_microsecond() {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const std::uint64_t first = native::ticks();
  auto end = start;
  while (end - start < std::chrono::microseconds(200)) end = clock::now();
  const std::uint64_t last = native::ticks();
  return static_cast<double>(last - first) / std::chrono::duration<double, std::micro>(end - start).count();
}
#endif
}  // namespace

constinit thread_local std::uint64_t native::settles_at = std::numeric_limits<std::uint64_t>::max();

void native::live_on(int processor) noexcept {
  if (processor == home) return;
  home = processor;
  settles_at = processor < 0 ? std::numeric_limits<std::uint64_t>::max() : 0;
  if (processor >= 0) go_home(ticks());
}

void native::go_home(std::uint64_t now) noexcept {
  settles_at = now + static_cast<std::uint64_t>(settled_for * ticks_per_microsecond());
  if (sched_getcpu() != home) move_to(home);
}

void native::yield() noexcept { sched_yield(); }

double native::ticks_per_microsecond() {
#if defined(__x86_64__)
  // No initialization that others wait for: a process forked meanwhile would wait for it for ever.
  // relaxed: a number that nothing else goes with; the first one measured is everybody's.
  static constinit std::atomic<double> known{0};
  double rate = known.load(std::memory_order_relaxed);
  if (rate != 0) [[likely]] return rate;
  const double mine = measured_ticks_per_microsecond();
  return known.compare_exchange_strong(rate, mine, std::memory_order_relaxed) ? mine : rate;
#else
  return 1000.0;
#endif
}

}  // namespace weir
