// Deliberately broken copies of the barriers: tests of the tests. Each has one fault, which its class
// names. All wait by `dawdling`, which on real cores widens the windows that a race needs. The explorer
// runs the same code.
#pragma once

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>
#include <weir/barriers/plan_barrier.hpp>
#include <weir/barriers/plans.hpp>
#include <weir/machine/native.hpp>

namespace mutants {

template <class Machine>
void dawdle() {
  if constexpr (std::is_same_v<Machine, weir::native>) {
    thread_local std::minstd_rand random(
        static_cast<unsigned>(std::hash<std::thread::id>{}(std::this_thread::get_id())));
    if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
  }
}

template <class Machine, class Word, class Ready>
void await(const Word& word, Ready ready) {
  dawdle<Machine>();
  Machine::yield_until(word, ready);
}

template <class Machine>
class dawdling : public weir::waiting::detail::policy<Machine, dawdling<Machine>> {
 public:
  static constexpr bool sleeps = false;
  explicit dawdling(const weir::team&) {}
  template <class Word, class Ready>
  bool poll(unsigned, const Word& word, Ready ready, weir::co_located) {
    mutants::await<Machine>(word, ready);
    return true;
  }
};

template <class Machine, unsigned Initial = 0>
struct base {
  using word = typename Machine::template word<unsigned>;
  explicit base(unsigned members) : p(members), own(members) {}
  const unsigned p;
  struct alignas(128) line {
    unsigned episode = 0;  // sense or episode of the member
    word a{Initial}, b{Initial};
  };
  std::vector<line> own;
  word count{0}, flag{0};

  template <class Ready>
  static void await_until(const word& w, Ready ready) {
    mutants::await<Machine>(w, ready);
  }
  static void await(const word& w, unsigned wanted) {
    await_until(w, [wanted](unsigned now) { return now == wanted; });
  }
};

// counter
template <class Machine, bool OneTooFew, bool Equality, std::memory_order Order>
struct counter_like : base<Machine> {
  using base<Machine>::base;
  void arrive_and_wait(unsigned m) {
    const unsigned sum = this->own[m].episode += this->p;
    const unsigned goal = sum - (OneTooFew && sum > this->p ? 1 : 0);
    this->count.fetch_add(1, Order);
    this->await_until(this->count, [goal](unsigned now) { return Equality ? now == goal : static_cast<int>(now - goal) >= 0; });
  }
};
template <class M>
using counter_not_broken = counter_like<M, false, false, std::memory_order_acq_rel>;
template <class M>
using counter_one_too_few = counter_like<M, true, false, std::memory_order_acq_rel>;
template <class M>  // an early member of the next episode counts past it
using counter_waits_for_equality = counter_like<M, false, true, std::memory_order_acq_rel>;
template <class M>
using counter_without_release = counter_like<M, false, false, std::memory_order_acquire>;

// sense
template <class Machine, bool Flip, bool Reset, bool ReleaseFirst, std::memory_order Release = std::memory_order_release>
struct sense_like : base<Machine> {
  using base<Machine>::base;
  void arrive_and_wait(unsigned m) {
    const unsigned sense = Flip ? this->own[m].episode ^= 1u : 1u;
    if (this->count.fetch_add(1, std::memory_order_acq_rel) + 1 == this->p) {
      if (ReleaseFirst) {
        this->flag.store(sense, Release);
        dawdle<Machine>();
      }
      if (Reset) this->count.store(0, std::memory_order_relaxed);
      this->flag.store(sense, Release);
      return;
    }
    this->await(this->flag, sense);
  }
};
template <class M>
using sense_not_broken = sense_like<M, true, true, false>;
template <class M>
using sense_without_flip = sense_like<M, false, true, false>;
template <class M>
using sense_counter_not_reset = sense_like<M, true, false, false>;
template <class M>
using sense_released_before_reset = sense_like<M, true, true, true>;
template <class M>
using sense_released_relaxed = sense_like<M, true, true, false, std::memory_order_relaxed>;

// condvar, condvar-pairs
template <class Machine, bool LockedFlip, bool AllPairs>
struct condvar_like : base<Machine> {
  explicit condvar_like(unsigned members) : base<Machine>(members), rooms((members + 1) / 2) {}
  void arrive_and_wait(unsigned m) {
    const unsigned e = ++this->own[m].episode;
    if (this->count.fetch_add(1, std::memory_order_acq_rel) + 1 == this->p) {
      this->count.store(0, std::memory_order_relaxed);
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
      dawdle<Machine>();
      r.released.wait(lock);
    }
  }
  struct room {
    typename Machine::mutex mutex;
    typename Machine::condition released;
    typename Machine::template word<unsigned> episode{0};
  };
  std::vector<room> rooms;
};
template <class M>
using condvar_not_broken = condvar_like<M, true, true>;
template <class M>  // as in the pseudo-code of paper 001
using condvar_flipped_without_mutex = condvar_like<M, false, true>;
template <class M>
using condvar_one_pair_forgotten = condvar_like<M, true, false>;

// sensor
template <class Machine>
struct sensor_with_sense : base<Machine> {  // the last member leaves its own sensor behind
  using base<Machine>::base;
  void arrive_and_wait(unsigned m) {
    const unsigned sense = this->own[m].episode ^= 1u;
    if (this->count.fetch_add(1, std::memory_order_acq_rel) + 1 == this->p) {
      this->count.store(0, std::memory_order_relaxed);
      for (unsigned o = 0; o < this->p; ++o)
        if (o != m) this->own[o].a.store(sense, std::memory_order_release);
      return;
    }
    this->await(this->own[m].a, sense);
  }
};

// distributed, distributed-padded
template <class Machine, bool TwoSets, bool ScanAll, std::memory_order Release = std::memory_order_release>
struct distributed_like : base<Machine> {
  using base<Machine>::base;
  using line = typename base<Machine>::line;
  void arrive_and_wait(unsigned m) {
    const unsigned e = this->own[m].episode++;
    const unsigned sense = ((TwoSets ? e >> 1 : e) & 1u) ^ 1u;
    const auto set = TwoSets && (e & 1u) ? &line::b : &line::a;
    (this->own[m].*set).store(sense, Release);
    for (unsigned o = 0; o < this->p - (ScanAll ? 0 : 1); ++o) this->await(this->own[o].*set, sense);
  }
};
template <class M>
using distributed_not_broken = distributed_like<M, true, true>;
template <class M>
using distributed_with_one_set = distributed_like<M, false, true>;
template <class M>
using distributed_scan_too_short = distributed_like<M, true, false>;
template <class M>
using distributed_stored_relaxed = distributed_like<M, true, true, std::memory_order_relaxed>;

// distributed-sensor
template <class Machine, bool GatherFirst, bool ResetFirst>
struct distributed_sensor_like : base<Machine, 1> {
  using base<Machine, 1>::base;
  void arrive_and_wait(unsigned m) {
    auto& members = this->own;
    if (m != 0) {
      members[m].a.store(0, std::memory_order_release);
      this->await(members[m].b, 0);
      members[m].b.store(1, std::memory_order_relaxed);
      return;
    }
    const unsigned end = this->p;
    for (unsigned o = GatherFirst ? 1 : end; o < end; ++o) this->await(members[o].a, 0);
    for (unsigned o = 1; ResetFirst && o < end; ++o) members[o].a.store(1, std::memory_order_relaxed);
    for (unsigned o = 1; o < end; ++o) members[o].b.store(0, std::memory_order_release);
    dawdle<Machine>();
    for (unsigned o = 1; !ResetFirst && o < end; ++o) members[o].a.store(1, std::memory_order_relaxed);
  }
};
template <class M>
using distributed_sensor_not_broken = distributed_sensor_like<M, true, true>;
template <class M>
using distributed_sensor_released_ungathered = distributed_sensor_like<M, false, true>;
template <class M>
using distributed_sensor_reset_too_late = distributed_sensor_like<M, true, false>;

// Plans that the real executor runs without their proof.
template <class Machine>
struct unproven : weir::barriers::plan_barrier<Machine, dawdling> {
  explicit unproven(const weir::plan& p)
      : weir::barriers::plan_barrier<Machine, dawdling>(of(p.participants()), p,
                                                        weir::seating::one_each(p.participants())) {}

 private:
  static weir::team of(unsigned members) {
    weir::team t;
    t.members = members;
    return t;
  }
};

inline weir::plan one_parity(weir::plan p) {
  p.parities = 1;
  return p;
}

/// `member` no longer waits for the first signal that it awaits in its arrival half.
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
template <class Machine, bool TreeFirst>
struct combination_like : base<Machine> {  // pairs of members, a central barrier across the pairs
  explicit combination_like(unsigned members) : base<Machine>(members), local((members + 1) / 2) {}
  void arrive_and_wait(unsigned m) {
    const unsigned e = ++this->own[m].episode;
    seat& s = local[m / 2];
    const unsigned size = std::min(2u, this->p - m / 2 * 2);
    if (s.count.fetch_add(1, std::memory_order_acq_rel) + 1 < size) {
      this->await(s.released, e);
      return;
    }
    s.count.store(0, std::memory_order_relaxed);
    if (!TreeFirst) s.released.store(e, std::memory_order_release);
    if (this->count.fetch_add(1, std::memory_order_acq_rel) + 1 == local.size()) {
      this->count.store(0, std::memory_order_relaxed);
      this->flag.store(e, std::memory_order_release);
    } else {
      this->await(this->flag, e);
    }
    if (TreeFirst) s.released.store(e, std::memory_order_release);
  }
  struct seat {
    typename Machine::template word<unsigned> count{0}, released{0};
  };
  std::vector<seat> local;
};
template <class M>
using combination_not_broken = combination_like<M, true>;
template <class M>
using combination_released_before_the_tree = combination_like<M, false>;

}  // namespace mutants
