#include <weir/machine/native.hpp>

#include <chrono>
#include <sched.h>

namespace weir {

void native::yield() noexcept { sched_yield(); }

double native::ticks_per_microsecond() {
  static const double rate = [] {
#if defined(__x86_64__)
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const std::uint64_t first = ticks();
    auto end = start;
    while (end - start < std::chrono::microseconds(200)) end = clock::now();
    const std::uint64_t last = ticks();
    return static_cast<double>(last - first) / std::chrono::duration<double, std::micro>(end - start).count();
#else
    return 1000.0;
#endif
  }();
  return rate;
}

}  // namespace weir
