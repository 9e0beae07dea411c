#include <weir/machine/native.hpp>

#include <chrono>
#include <limits>
#include <sched.h>

namespace weir {

namespace {
constexpr double settled_for = 5e3;  // microseconds: a move costs a few
constinit thread_local int home = -1;

/// Of the processors that the calling thread may run on, that one alone; then all of them again.
void move_to(int processor) {
  constexpr int most = 1 << 14;
  cpu_set_t* const all = CPU_ALLOC(most);
  cpu_set_t* const one = CPU_ALLOC(most);
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  const auto number = static_cast<std::size_t>(processor);
  if (all != nullptr && one != nullptr && sched_getaffinity(0, bytes, all) == 0 && CPU_ISSET_S(number, bytes, all)) {
    CPU_ZERO_S(bytes, one);
    CPU_SET_S(number, bytes, one);
    if (sched_setaffinity(0, bytes, one) == 0) sched_setaffinity(0, bytes, all);
  }
  CPU_FREE(one);
  CPU_FREE(all);
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
