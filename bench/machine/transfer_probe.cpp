#include "transfer_probe.hpp"

#include <algorithm>
#include <array>

#include <weir/machine/processors.hpp>

#include "clock.hpp"

namespace bench {

namespace {

constexpr int batches = 10, trips = 10;  // of round trips
constexpr double patience_ns = 4e6;
constexpr std::uint32_t over = ~0U;  // instead of the number of a trip, or of a probe: there are no more

}  // namespace

transfer_probe::transfer_probe(int from, int to)
    : sender_([this, from] { send(from); }), answerer_([this, to] { answer(to); }) {}

transfer_probe::~transfer_probe() {
  asked_.value.store(over, std::memory_order_release);  // as ns() does
  asked_.value.notify_all();
  sender_.join();
  answerer_.join();
}

std::optional<double> transfer_probe::ns() {
  // Relaxed: both threads are asleep, and asked_ publishes these.
  there_.value.store(0, std::memory_order_relaxed);
  back_.value.store(0, std::memory_order_relaxed);
  const std::uint32_t before = answered_.value.load(std::memory_order_relaxed);  // acquired at the end of the last call
  asked_.value.fetch_add(1, std::memory_order_release);  // publishes the stores above to both threads
  asked_.value.notify_all();
  // Acquire: what the sender found is read below, and both threads are done with there_ and back_.
  for (std::uint32_t seen = before; seen != before + 2; seen = answered_.value.load(std::memory_order_acquire))
    answered_.value.wait(seen, std::memory_order_acquire);
  return found_;
}

bool transfer_probe::next(std::uint32_t done) {
  asked_.value.wait(done, std::memory_order_acquire);  // acquire: the caller has set there_ and back_
  return asked_.value.load(std::memory_order_relaxed) != over;
}

void transfer_probe::send(int processor) {
  // Relaxed: the sender reads its own, and the answerer's after it has acquired an answer.
  if (weir::run_on({processor}) != 0) unbound_.store(true, std::memory_order_relaxed);
  for (std::uint32_t done = 0; next(done); ++done) {
    found_ = round_trips();
    there_.value.store(over, std::memory_order_relaxed);  // relaxed: the answerer reads nothing else
    answered_.value.fetch_add(1, std::memory_order_release);  // publishes found_
    answered_.value.notify_one();
  }
}

// An interrupt, or another program, may lengthen a batch or two, which does not change the median.
std::optional<double> transfer_probe::round_trips() {
  const double deadline_ns = now_ns() + patience_ns;
  std::uint32_t number = 0;
  const auto trip = [&] {
    // Release and acquire, as a barrier's flags have it: it is their transfer that is timed.
    there_.value.store(++number, std::memory_order_release);
    for (unsigned looks = 1; back_.value.load(std::memory_order_acquire) != number; ++looks) {
      if (looks % 256 == 0 && now_ns() > deadline_ns) return false;
      weir::native::pause();
    }
    return true;
  };
  if (!trip() || unbound_.load(std::memory_order_relaxed)) return std::nullopt;  // the two have met
  std::array<double, batches> took{};
  for (double& batch : took) {
    const double start_ns = now_ns();
    for (int i = 0; i < trips; ++i)
      if (!trip()) return std::nullopt;
    batch = (now_ns() - start_ns) / (2 * trips);
  }
  std::nth_element(took.begin(), took.begin() + batches / 2, took.end());
  return took[batches / 2];
}

void transfer_probe::answer(int processor) {
  if (weir::run_on({processor}) != 0) unbound_.store(true, std::memory_order_relaxed);  // released by the first answer
  for (std::uint32_t done = 0; next(done); ++done) {
    for (std::uint32_t last = 0, number = 0; number != over; last = number) {
      while ((number = there_.value.load(std::memory_order_acquire)) == last) weir::native::pause();
      if (number != over) back_.value.store(number, std::memory_order_release);
    }
    answered_.value.fetch_add(1, std::memory_order_release);  // this thread is done with there_ and back_
    answered_.value.notify_one();
  }
}

}  // namespace bench
