#include "probes.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <weir/machine/native.hpp>

#include "../machine/clock.hpp"

namespace bench {

namespace {

constexpr unsigned kernel_yields = 500, user_yields = 20'000;

cost user_switch(int processor) {
  std::atomic<unsigned> ready{0};
  double wall_ns = 0;
  weir::crowd two(
      2,
      [&](unsigned m) {
        bind_to(processor);
        ready.fetch_add(1, std::memory_order_relaxed);  // relaxed: nothing but the number is of interest
        while (ready.load(std::memory_order_relaxed) < 2) weir::this_member::yield();
        const double start = now_ns();
        for (unsigned i = 0; i < user_yields; ++i) weir::this_member::yield();
        if (m == 0) wall_ns = now_ns() - start;
      },
      {.processors = 1});
  two.join();
  const double one = wall_ns / (2.0 * user_yields);
  return {one, one};
}

/// Two threads look at the clock all the time; what it leaps over is the other one's.
class quantum_seekers final : public subject {
 public:
  void run(unsigned m, std::uint64_t, const delay&) override {
    const auto in_ticks = [](double us) { return static_cast<std::uint64_t>(us * weir::native::ticks_per_microsecond()); };
    const std::uint64_t longest = in_ticks(observed_us), least = in_ticks(least_us), start = weir::native::ticks();
    for (std::uint64_t before = start, now = start; now - start < longest; before = now) {
      now = weir::native::ticks();
      if (now - before > least) leaps_[m].push_back(static_cast<double>(now - before));
    }
  }
  /// In nanoseconds: half of the lost time was lost in leaps at least so long. So short ones, by interrupts, do not count much.
  double quantum_ns() {
    auto& all = leaps_[0];
    all.insert(all.end(), leaps_[1].begin(), leaps_[1].end());
    std::sort(all.begin(), all.end());
    const double half = std::accumulate(all.begin(), all.end(), 0.0) / 2;
    double sum = 0;
    for (const double leap : all)
      if ((sum += leap) >= half) return leap * 1000 / weir::native::ticks_per_microsecond();
    return 0;
  }

 private:
  static constexpr double observed_us = 400e3, least_us = 20;
  std::array<std::vector<double>, 2> leaps_;
};

}  // namespace

cost switch_between(bool user_level, int processor) {
  return user_level ? user_switch(processor) : one_switch(processor, kernel_yields);
}

cost quantum_of(bool user_level, int processor) {
  quantum_seekers seekers;
  const auto two = team_of(user_level, {2, {processor}, true});
  (void)two->measure(seekers, 1, delay(0));
  const double found = seekers.quantum_ns();
  return {found, found};
}

}  // namespace bench
