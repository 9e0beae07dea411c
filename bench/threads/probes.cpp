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

/// Two threads look at the clock all the time. If the clock jumps, the thread had lost the processor, to the other thread or to
/// another program.
class quantum_seekers final : public subject {
 public:
  void run(unsigned m, std::uint64_t, const delay&) override {
    const auto in_ticks = [](double us) { return static_cast<std::uint64_t>(us * weir::native::ticks_per_microsecond()); };
    const std::uint64_t longest = in_ticks(observed_us), least = in_ticks(least_us), start = weir::native::ticks();
    stretch now{m, start, start};
    while (now.end - start < longest) {
      const std::uint64_t ticks = weir::native::ticks();
      if (ticks - now.end > least) {
        stretches_[m].push_back(now);
        now.begin = ticks;
      }
      now.end = ticks;
    }
  }
  /// The quantum in nanoseconds: half of the time was spent in turns of at least this length. A turn lasts until the other thread
  /// has the processor, without the time that other programs took meanwhile.
  double quantum_ns() {
    auto& merged = stretches_[0];
    merged.insert(merged.end(), stretches_[1].begin(), stretches_[1].end());
    std::sort(merged.begin(), merged.end(), [](const stretch& a, const stretch& b) { return a.begin < b.begin; });
    std::vector<double> turns;
    for (std::size_t i = 0; i < merged.size(); ++i) {
      if (i == 0 || merged[i].thread != merged[i - 1].thread) turns.push_back(0);
      turns.back() += static_cast<double>(merged[i].end - merged[i].begin);
    }
    std::sort(turns.begin(), turns.end());
    const double half = std::accumulate(turns.begin(), turns.end(), 0.0) / 2;
    double sum = 0;
    for (const double turn : turns)
      if ((sum += turn) >= half) return turn * 1000 / weir::native::ticks_per_microsecond();
    return 0;
  }

 private:
  struct stretch {
    unsigned thread;
    std::uint64_t begin, end;  // in ticks
  };
  static constexpr double observed_us = 400e3, least_us = 20;
  std::array<std::vector<stretch>, 2> stretches_;
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
