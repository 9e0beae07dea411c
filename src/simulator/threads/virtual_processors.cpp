#include "simulator/threads/virtual_processors.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "simulator/threads/machine.hpp"
#include "threads/scheduling/neighbours.hpp"

namespace weir::simulator::threads {

namespace {

using weir::threads::neighbours;
using queue = weir::threads::basic_run_queue<machine>;
using std::memory_order_relaxed;

// As in processor.cpp.
const time patience = from_us(8), longest_idle = from_us(50), between_claims = from_us(200);
const time short_work = from_ns(500), long_work = from_us(300);

struct alignas(line_bytes) body : weir::threads::basic_runnable<machine> {
  unsigned number = 0;
  bool computes_long = false;
  alignas(line_bytes) machine::word<std::uint32_t> turns{0};  // what it sleeps on: how often it has been woken
  std::uint32_t seen = 0;
};

/// What a thief notes at the processor at which it looks, under the lock (processor.hpp).
struct alignas(line_bytes) processor : queue {
  body own;
  alignas(line_bytes) machine::word<std::uint32_t> switches_seen{0};
  machine::word<std::uint64_t> seen_at{0};
  machine::word<std::uint32_t> in_vain_at{~0u};
  machine::word<std::uint64_t> in_vain_since{0};
  neighbours others;
};

class program {
 public:
  program(operation what, unsigned processors, unsigned members)
      : what_(what),
        processors_(std::make_unique<processor[]>(processors)),
        size_(processors),
        bodies_(std::make_unique<body[]>(members)),
        members_(members) {
    for (unsigned b = 0; b < members; ++b) bodies_[b].number = b;
  }

  counts run(const machine_model& m) {
    engine e(m, {.quantum = m.system.quantum});
    e.add_job("processors", size_, 0, 0, [](const job&) {}, [this](unsigned p) { drive(p); });
    e.run();
    return counted_;
  }

 private:
  unsigned far_from(unsigned p) const {
    return (p + size_ / 2 + 1) % size_;
  }  // comes round to all: their number is a power of two

  void drive(unsigned p) {
    processor& me = processors_[p];
    me.own.on.store(&me, memory_order_relaxed);
    me.own.seat.store(&me, memory_order_relaxed);
    me.runs(me.own);
    place_bodies(p);
    // Until all have set up.
    engine::here().compute(from_us(20));
    if (what_ == operation::look && p == 0) return look_in_vain();
    while (!over_) {
      auto* const b = static_cast<body*>(me.take());
      if (b != nullptr)
        run(me, *b);
      else
        idle(me, p);
    }
  }

  bool has_bodies(unsigned p) const {
    switch (what_) {
      case operation::look: return p != 0;
      case operation::steal: return p % 2 == 0;
      case operation::push_to_sleeper: return p == 0;
      default: return true;
    }
  }
  void place_bodies(unsigned p) {
    const unsigned each = what_ == operation::push ? 1 : members_ / size_;
    for (unsigned i = 0; i < (what_ == operation::push_to_sleeper ? 1 : each) && has_bodies(p); ++i) {
      body& b = bodies_[i * size_ + p];
      b.computes_long = what_ == operation::steal && i == 0;
      // The first body of each processor is awake at first.
      if (what_ == operation::sleep_and_wake && i == 0) b.turns.store(1, memory_order_relaxed);
      b.on.store(&processors_[p], memory_order_relaxed);
      b.seat.store(&processors_[p], memory_order_relaxed);
      b.held.store(1, memory_order_relaxed);
      processors_[p].append(b);
    }
  }

  /// As driver.hpp: switches to the body, which computes, and does what is left to do when it has stopped.
  void run(processor& me, body& b) {
    me.runs(b);
    for (;;) {
      const bool has_turn = what_ != operation::sleep_and_wake || b.turns.load(memory_order_relaxed) != b.seen;
      b.release();
      if (has_turn) engine::here().compute(b.computes_long ? long_work : short_work);
      b.hold();
      switch (what_) {
        case operation::yield: done();
          [[fallthrough]];
        case operation::look: return me.append(b);
        case operation::push:
        case operation::push_to_sleeper:
          b.seat.store(&processors_[far_from(static_cast<unsigned>(&me - processors_.get()))], memory_order_relaxed);
          queue::make_ready(b, nullptr);
          return done();
        case operation::steal:
          // At its seat: by way of the list of those that arrive, if it has been stolen.
          if (!me.is_place_of(b)) return queue::make_ready(b, nullptr);
          return me.append(b);
        case operation::sleep_and_wake:
          if (has_turn) {
            ++b.seen;
            wake(bodies_[b.number / size_ * size_ + far_from(b.number % size_)], b);
            done();
          }
          if (asleep_.of(place_of(b)).add(b, b.turns, b.seen)) return;
      }
    }
  }

  /// In place of its word's address, which the host's system chooses anew each time.
  std::uintptr_t place_of(const body& b) const { return b.number * sizeof(body); }

  void wake(body& other, body& me) {
    other.turns.store(other.turns.load(memory_order_relaxed) + 1, memory_order_relaxed);  // one body alone stores it
    machine::full_fence();
    if (auto& bucket = asleep_.of(place_of(other)); bucket.has_sleepers()) bucket.wake(other.turns, 1, &me);
  }

  /// As processor::finds_bodies().
  void idle(processor& me, unsigned p) {
    const time begun = engine::here().now();
    const auto looks = static_cast<time>(2 * me.others.rounds());
    const time most = what_ == operation::push_to_sleeper ? from_us(2) : longest_idle;  // the others sleep when it comes to them
    for (time look = 0; look < looks; ++look) {
      if (steal_for(me, p)) return;
      while (engine::here().now() - begun < most * (look + 1) / (looks - 1) && look + 1 < looks) {
        if (me.has_ready() || over_) return;
        engine::here().compute(from_ns(200));
      }
    }
    if (!over_ && what_ != operation::steal) me.await_arrival();
  }

  /// As stealing.cpp and processor::steal().
  bool steal_for(processor& me, unsigned p) {
    std::uint32_t unlocked = 0;
    if (!pool_lock_.compare_exchange_strong(unlocked, 1)) return false;
    const bool some = me.others.any_of(size_, p, [&](std::size_t place) { return steal(me, processors_[place]); });
    pool_lock_.store(0);
    return some;
  }
  bool steal(processor& me, processor& other) {
    const std::uint32_t switches = other.switches();
    const auto now = static_cast<std::uint64_t>(engine::here().now());
    if (other.switches_seen.load() != switches) {
      other.switches_seen.store(switches);
      other.seen_at.store(now);
      return false;
    }
    if (now - other.seen_at.load() < static_cast<std::uint64_t>(patience) || !other.has_ready()) return false;
    if (other.in_vain_at.load() == switches && now - other.in_vain_since.load() < static_cast<std::uint64_t>(between_claims))
      return false;
    if (other.current()->held.load(memory_order_relaxed) != 0 || !other.claim(switches)) return false;
    const bool some =
        me.steal_from(other, [](weir::threads::basic_runnable<machine>& b) { return !static_cast<body&>(b).computes_long; });
    other.unclaim();
    if (!some) {
      other.in_vain_at.store(switches);
      other.in_vain_since.store(now);
    } else if (what_ == operation::steal) {
      done();
    }
    return some;
  }

  void look_in_vain() {
    while (!over_) {
      steal_for(processors_[0], 0);
      done();
      engine::here().compute(from_us(1));
    }
  }

  /// An operation has been executed.
  void done() {
    constexpr std::uint64_t warm_up = 4, counted = 16;
    const std::uint64_t for_each = what_ == operation::look || what_ == operation::push_to_sleeper ? 2 * size_ : size_;
    if (++done_ == warm_up * for_each) {
      engine::here().forget_counts();
      machine::counted = {};
      from_ = done_;
    }
    if (done_ != (warm_up + counted) * for_each) return;
    count(done_ - from_);
    over_ = true;
    for (unsigned p = 0; p < size_; ++p) processors_[p].wake_up();
  }
  void count(std::uint64_t operations) {
    const engine& e = engine::here();
    const auto mean = [operations](auto value) { return static_cast<double>(value) / static_cast<double>(operations); };
    const auto sum = [](const std::vector<std::uint64_t>& misses) {
      return std::accumulate(misses.begin(), misses.end(), std::uint64_t{0});
    };
    const line_counts of_lines = e.memory().all_counts();
    std::uint64_t most = 0;
    for (line_id l = 0; l < e.memory().lines(); ++l) most = std::max(most, sum(e.memory().counts(l).misses));
    counted_ = {mean(sum(of_lines.misses)), mean(most),
                mean(of_lines.atomics),     mean(e.system().calls),
                mean(e.system().woken),     mean(machine::counted.fences),
                mean(machine::counted.interrupted), operations};
  }

  const operation what_;
  const std::unique_ptr<processor[]> processors_;
  const unsigned size_;
  const std::unique_ptr<body[]> bodies_;
  const unsigned members_;
  weir::threads::basic_sleep_queues<machine> asleep_;
  alignas(line_bytes) machine::word<std::uint32_t> pool_lock_{0};
  // The host's own, which cost nothing.
  bool over_ = false;
  std::uint64_t done_ = 0, from_ = 0;
  counts counted_;
};

}  // namespace

counts measure(const machine_model& m, operation what, unsigned processors, unsigned members) {
  if (members == 0 || members % processors != 0)
    throw std::invalid_argument("each processor has as many members as the others here");
  return program(what, processors, members).run(cut(m, processors));
}

}  // namespace weir::simulator::threads
