#include "floor.hpp"

#include <atomic>
#include <sched.h>
#include <thread>

#include <weir/machine/native.hpp>

#include "clock.hpp"
#include "crew.hpp"

namespace bench {

namespace {

struct alignas(weir::line_bytes) line {
  std::atomic<std::uint64_t> value{0};
};

// Runs two threads and gives the nanoseconds that the first took. The processors exist: the caller
// has bound itself to each of them at the start.
template <class First, class Second>
double race(int a, First first, int b, Second second) {
  double elapsed = 0;
  std::atomic<int> ready{0};
  const auto meet = [&ready] {
    ready.fetch_add(1);
    while (ready.load() < 2) sched_yield();
  };
  std::thread one([&] {
    bind_to(a);
    meet();
    const double start = now_ns();
    first();
    elapsed = now_ns() - start;
  });
  std::thread two([&] {
    bind_to(b);
    meet();
    second();
  });
  one.join();
  two.join();
  return elapsed;
}

}  // namespace

double one_transfer_ns(int from, int to, std::uint64_t rounds) {
  line there, back;
  const auto await = [](line& l, std::uint64_t value) {
    while (l.value.load(std::memory_order_acquire) != value) weir::native::pause();
  };
  const double elapsed = race(
      from,
      [&] {
        for (std::uint64_t i = 1; i <= rounds; ++i) {
          there.value.store(i, std::memory_order_release);
          await(back, i);
        }
      },
      to,
      [&] {
        for (std::uint64_t i = 1; i <= rounds; ++i) {
          await(there, i);
          back.value.store(i, std::memory_order_release);
        }
      });
  return elapsed / (2.0 * static_cast<double>(rounds));
}

double one_switch_ns(int processor, std::uint64_t yields) {
  const auto give_away = [yields] {
    for (std::uint64_t i = 0; i < yields; ++i) sched_yield();
  };
  return race(processor, give_away, processor, give_away) / (2.0 * static_cast<double>(yields));
}

}  // namespace bench
