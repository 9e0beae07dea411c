// Deliberately broken copies of the barriers: tests of the tests. Each is wrong in one way, named by
// its class; all wait by `dawdling`, which holds open the windows that a race needs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <random>
#include <thread>
#include <weir/barriers/plan_barrier.hpp>
#include <weir/barriers/plans.hpp>
#include <weir/machine/native.hpp>

namespace mutants {

inline void dawdle() {
  thread_local std::minstd_rand random(static_cast<unsigned>(std::hash<std::thread::id>{}(std::this_thread::get_id())));
  if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

template <class Machine>
class dawdling : public weir::waiting::detail::policy<Machine, dawdling<Machine>> {
 public:
  static constexpr bool sleeps = false;
  explicit dawdling(const weir::team&) {}
  template <class Word, class Ready>
  bool poll(unsigned, const Word& word, Ready ready, weir::company) {
    dawdle();
    while (!ready(word.load(std::memory_order_acquire))) Machine::yield();
    return true;
  }
};

template <class Ready>
void await(Ready ready) {
  dawdle();
  while (!ready()) weir::native::yield();
}

struct base {
  explicit base(unsigned members) : p(members), own(members) {}
  const unsigned p;
  struct alignas(128) line {
    unsigned mine = 0;  // sense or episode of the member
    std::atomic<unsigned> a{0}, b{0};
  };
  std::vector<line> own;
  std::atomic<unsigned> count{0}, flag{0};
};

// counter
struct counter_one_too_few : base {
  using base::base;
  void arrive_and_wait(unsigned m) {
    const unsigned goal = (own[m].mine += p) - (own[m].mine > p ? 1 : 0);
    count.fetch_add(1, std::memory_order_acq_rel);
    await([&] { return static_cast<int>(count.load(std::memory_order_acquire) - goal) >= 0; });
  }
};

struct counter_waits_for_equality : base {  // an early member of the next episode counts past it
  using base::base;
  void arrive_and_wait(unsigned m) {
    const unsigned goal = own[m].mine += p;
    count.fetch_add(1, std::memory_order_acq_rel);
    await([&] { return count.load(std::memory_order_acquire) == goal; });
  }
};

// sense
template <bool Flip, bool Reset, bool ReleaseFirst>
struct sense_like : base {
  using base::base;
  void arrive_and_wait(unsigned m) {
    const unsigned mine = Flip ? own[m].mine ^= 1u : 1u;
    if (count.fetch_add(1, std::memory_order_acq_rel) + 1 == p) {
      if (ReleaseFirst) {
        flag.store(mine, std::memory_order_release);
        dawdle();
      }
      if (Reset) count.store(0, std::memory_order_relaxed);
      flag.store(mine, std::memory_order_release);
      return;
    }
    await([&] { return flag.load(std::memory_order_acquire) == mine; });
  }
};
using sense_not_broken = sense_like<true, true, false>;
using sense_without_flip = sense_like<false, true, false>;
using sense_counter_not_reset = sense_like<true, false, false>;
using sense_released_before_reset = sense_like<true, true, true>;

// condvar, condvar-pairs
template <bool LockedFlip, bool AllPairs>
struct condvar_like : base {
  explicit condvar_like(unsigned members) : base(members), rooms((members + 1) / 2) {}
  void arrive_and_wait(unsigned m) {
    const unsigned e = ++own[m].mine;
    if (count.fetch_add(1, std::memory_order_acq_rel) + 1 == p) {
      count.store(0, std::memory_order_relaxed);
      for (auto& r : rooms) {
        {
          std::unique_lock lock(r.mutex, std::defer_lock);
          if (LockedFlip) lock.lock();
          r.episode.store(e);
        }
        r.released.notify_all();
        if (!AllPairs) break;
      }
      return;
    }
    room& r = rooms[m / 2];
    std::unique_lock lock(r.mutex);
    while (r.episode.load() != e) {
      dawdle();
      r.released.wait(lock);
    }
  }
  struct room {
    std::mutex mutex;
    std::condition_variable released;
    std::atomic<unsigned> episode{0};
  };
  std::vector<room> rooms;
};
using condvar_not_broken = condvar_like<true, true>;
using condvar_flipped_without_mutex = condvar_like<false, true>;  // as in the pseudo-code of paper 001
using condvar_one_pair_forgotten = condvar_like<true, false>;

// sensor
struct sensor_with_sense : base {  // the last member leaves its own sensor behind
  using base::base;
  void arrive_and_wait(unsigned m) {
    const unsigned mine = own[m].mine ^= 1u;
    if (count.fetch_add(1, std::memory_order_acq_rel) + 1 == p) {
      count.store(0, std::memory_order_relaxed);
      for (unsigned o = 0; o < p; ++o)
        if (o != m) own[o].a.store(mine, std::memory_order_release);
      return;
    }
    await([&] { return own[m].a.load(std::memory_order_acquire) == mine; });
  }
};

// distributed, distributed-padded
template <bool TwoSets, bool ScanAll>
struct distributed_like : base {
  using base::base;
  void arrive_and_wait(unsigned m) {
    const unsigned e = own[m].mine++;
    const unsigned sense = ((TwoSets ? e >> 1 : e) & 1u) ^ 1u;
    const auto set = TwoSets && (e & 1u) ? &line::b : &line::a;
    (own[m].*set).store(sense, std::memory_order_release);
    for (unsigned o = 0; o < p - (ScanAll ? 0 : 1); ++o)
      await([&] { return (own[o].*set).load(std::memory_order_acquire) == sense; });
  }
};
using distributed_not_broken = distributed_like<true, true>;
using distributed_with_one_set = distributed_like<false, true>;
using distributed_scan_too_short = distributed_like<true, false>;

// distributed-sensor
template <bool GatherFirst, bool ResetFirst>
struct distributed_sensor_like : base {
  explicit distributed_sensor_like(unsigned members) : base(members) {
    for (auto& l : own) l.a = l.b = 1;
  }
  void arrive_and_wait(unsigned m) {
    if (m != 0) {
      own[m].a.store(0, std::memory_order_release);
      await([&] { return own[m].b.load(std::memory_order_acquire) == 0; });
      own[m].b.store(1, std::memory_order_relaxed);
      return;
    }
    for (unsigned o = GatherFirst ? 1 : p; o < p; ++o)
      await([&] { return own[o].a.load(std::memory_order_acquire) == 0; });
    for (unsigned o = 1; ResetFirst && o < p; ++o) own[o].a.store(1, std::memory_order_relaxed);
    for (unsigned o = 1; o < p; ++o) own[o].b.store(0, std::memory_order_release);
    dawdle();
    for (unsigned o = 1; !ResetFirst && o < p; ++o) own[o].a.store(1, std::memory_order_relaxed);
  }
};
using distributed_sensor_not_broken = distributed_sensor_like<true, true>;
using distributed_sensor_released_ungathered = distributed_sensor_like<false, true>;
using distributed_sensor_reset_too_late = distributed_sensor_like<true, false>;

// Plans, run without their proof by the real executor.
struct unproven : weir::barriers::plan_barrier<weir::native, dawdling> {
  explicit unproven(const weir::plan& p)
      : plan_barrier(weir::team_here(p.participants()), p, weir::seating::one_each(p.participants())) {}
};

inline weir::plan one_parity(weir::plan p) {
  p.parities = 1;
  return p;
}

/// `member` no longer waits for the first signal that it awaits in that half.
inline weir::plan impatient(weir::plan p, unsigned member) {
  auto& half = p.scripts[member].arrival;
  for (std::size_t i = 0; i < half.size(); ++i)
    if (half[i].act == weir::step::action::await) {
      half.erase(half.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  return p;
}

/// Members `a` and `b` signal each other's partners in their first signals.
inline weir::plan swapped_partners(weir::plan p, unsigned a, unsigned b) {
  const auto first_signal = [&p](unsigned m) -> weir::step& {
    for (auto& s : p.scripts[m].arrival)
      if (s.act == weir::step::action::signal) return s;
    std::abort();
  };
  std::swap(first_signal(a).slot, first_signal(b).slot);
  return p;
}

// combination
template <bool TreeFirst>
struct combination_like : base {  // pairs of members, a central barrier across the pairs
  explicit combination_like(unsigned members) : base(members), local((members + 1) / 2) {}
  void arrive_and_wait(unsigned m) {
    const unsigned e = ++own[m].mine;
    seat& s = local[m / 2];
    const unsigned size = std::min(2u, p - m / 2 * 2);
    if (s.count.fetch_add(1, std::memory_order_acq_rel) + 1 < size) {
      await([&] { return s.released.load(std::memory_order_acquire) == e; });
      return;
    }
    s.count.store(0, std::memory_order_relaxed);
    if (!TreeFirst) s.released.store(e, std::memory_order_release);
    if (count.fetch_add(1, std::memory_order_acq_rel) + 1 == local.size()) {
      count.store(0, std::memory_order_relaxed);
      flag.store(e, std::memory_order_release);
    } else {
      await([&] { return flag.load(std::memory_order_acquire) == e; });
    }
    if (TreeFirst) s.released.store(e, std::memory_order_release);
  }
  struct seat {
    std::atomic<unsigned> count{0}, released{0};
  };
  std::vector<seat> local;
};
using combination_not_broken = combination_like<true>;
using combination_released_before_the_tree = combination_like<false>;

}  // namespace mutants
