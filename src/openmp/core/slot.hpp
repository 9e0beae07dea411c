// What the members of a team set up together for one construct: a loop, a doacross.
//
// Constructs without a barrier may overlap, so a team has several slots of a kind, used in turn. Every member meets the same
// constructs, and numbers them.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/native.hpp>

namespace weir::openmp {

inline constexpr unsigned slots_in_turn = 8;

/// Waits where it is rare and short: yields between its looks.
template <class Word, class Ready>
void wait_awake(const Word& word, Ready ready) {
  if (!native::spin(word, ready, 100)) native::yield_until(word, ready);
}

class alignas(line_bytes) slot {
 public:
  /// As it is before the construct of that number begins.
  void free_for(std::uint32_t construct) { state_.store(of(construct, free_), std::memory_order_relaxed); }

  /// The first member that comes sets it up, the others find it so.
  template <class Set>
  void enter(std::uint32_t construct, Set set_up) {
    const std::uint64_t before = of(construct, free_), ready = of(construct, ready_);
    for (;;) {
      // acquire: with the release below, what the first has set up; with that of leave(), that nobody is in it any more.
      std::uint64_t now = state_.load(std::memory_order_acquire);
      if (now == ready) return;
      if (now == before && state_.compare_exchange_strong(now, of(construct, being_set), std::memory_order_acquire)) break;
      if (now != before) wait_awake(state_, [=](std::uint64_t s) { return s == ready || s == before; });
    }
    set_up();
    // relaxed: published by the state.
    left_.store(0, std::memory_order_relaxed);
    state_.store(ready, std::memory_order_release);
  }

  /// A member has done with it; the last of so many clears it away.
  template <class Clear>
  void leave(std::uint32_t construct, unsigned members, Clear clear_away) {
    // acq_rel: the last one frees it after all others have used it.
    if (left_.fetch_add(1, std::memory_order_acq_rel) + 1 != members) return;
    clear_away();
    state_.store(of(construct + slots_in_turn, free_), std::memory_order_release);
  }

 private:
  enum phase : std::uint64_t { free_ = 0, being_set = 1, ready_ = 2 };
  static constexpr std::uint64_t of(std::uint32_t construct, phase p) { return static_cast<std::uint64_t>(construct) << 2 | p; }

  std::atomic<std::uint64_t> state_{0};
  alignas(line_bytes) std::atomic<std::uint32_t> left_{0};
};

}  // namespace weir::openmp
