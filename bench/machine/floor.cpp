#include "floor.hpp"

#include <atomic>
#include <sched.h>
#include <thread>

#include <weir/machine/native.hpp>

#include "binding.hpp"
#include "clock.hpp"

namespace bench {

namespace {

struct alignas(weir::line_bytes) line {
  std::atomic<std::uint64_t> value{0};
};

// Runs two threads, and returns the time that the first took, and the processor time of both. The processors exist, because the
// caller bound itself to each of them at the start.
template <class First, class Second>
cost race(int a, First first, int b, Second second) {
  cost taken{};
  double first_cpu_ns = 0, second_cpu_ns = 0;
  std::atomic<int> ready{0};
  const auto meet = [&ready] {
    ready.fetch_add(1);
    while (ready.load() < 2) sched_yield();
  };
  std::thread one([&] {
    bind_to(a);
    meet();
    const double start_cpu = thread_cpu_ns(), start = now_ns();
    first();
    taken.wall_ns = now_ns() - start;
    first_cpu_ns = thread_cpu_ns() - start_cpu;
  });
  std::thread two([&] {
    bind_to(b);
    meet();
    const double start_cpu = thread_cpu_ns();
    second();
    second_cpu_ns = thread_cpu_ns() - start_cpu;
  });
  one.join();
  two.join();
  taken.cpu_ns = first_cpu_ns + second_cpu_ns;
  return taken;
}

cost per(double events, cost total) { return {total.wall_ns / events, total.cpu_ns / events}; }

}  // namespace

cost one_transfer(int from, int to, std::uint64_t rounds) {
  line there, back;
  const auto await = [](line& l, std::uint64_t value) {
    while (l.value.load(std::memory_order_acquire) != value) weir::native::pause();
  };
  const cost taken = race(
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
  return per(2.0 * static_cast<double>(rounds), taken);
}

cost one_switch(int processor, std::uint64_t yields) {
  const auto give_away = [yields] {
    for (std::uint64_t i = 0; i < yields; ++i) sched_yield();
  };
  return per(2.0 * static_cast<double>(yields), race(processor, give_away, processor, give_away));
}

}  // namespace bench
