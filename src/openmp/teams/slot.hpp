// Where a construct that all members of a team encounter is set up, and cleared away.
//
// Constructs without a barrier may overlap, so a team has several slots of each kind, used in turn. Every member encounters the
// same constructs in the same order, and numbers them.
//
// A template over a Machine, so that the simulator executes the same source.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::openmp {

inline constexpr unsigned slots_in_turn = 8;

template <class Machine>
class alignas(line_bytes) slot {
 public:
  /// The slot's state before the construct with this number begins.
  void free_for(std::uint32_t construct) {
    left_.store(0, std::memory_order_relaxed);
    state_.store(of(construct, free_), std::memory_order_relaxed);
  }

  /// The first member to enter sets the construct up; the others find it set up. `Kind` says how a member waits for the slot, how
  /// the construct is cleared away, and whether it is abandoned. An abandoned construct has been left by all members except those
  /// that left the cancelled region before.
  template <class Kind, class Member, class Set>
  void enter(const Member& me, std::uint32_t construct, Set set_up) {
    const std::uint64_t before = of(construct, free_), ready = of(construct, ready_);
    for (;;) {
      // acquire: with the release below, what the first member has set up; with that of leave(), that no member is in the
      // construct that used the slot before.
      std::uint64_t now = state_.load(std::memory_order_acquire);
      if (now == ready) return;
      if (now == before && state_.compare_exchange_strong(now, of(construct, being_set), std::memory_order_acquire)) break;
      if (now != before) wait_for<Kind>(me, before);
    }
    set_up();
    state_.store(ready, std::memory_order_release);
  }

  /// The last of `members` to leave clears the construct away. If the construct is abandoned, a member that waits for the slot
  /// does so. `leaving`: a group of members leaves together.
  template <class Kind>
  void leave(std::uint32_t construct, unsigned members, unsigned leaving = 1) {
    // acq_rel: the last one frees it after all others have used it.
    if (left_.fetch_add(leaving, std::memory_order_acq_rel) + leaving != members) return;
    left_.store(0, std::memory_order_relaxed);  // relaxed: published by the state
    Kind::clear_away(*this);
    state_.store(of(construct + slots_in_turn, free_), std::memory_order_release);
  }

 private:
  enum phase : std::uint64_t { free_ = 0, being_set = 1, ready_ = 2, being_cleared = 3 };
  template <class Kind, class Member>
  [[gnu::noinline]] void wait_for(const Member& me, std::uint64_t before) {
    // The number of the construct follows from `before` alone, so the caller keeps no register for it.
    const auto construct = static_cast<std::uint32_t>(before >> 2);
    const std::uint64_t last = of(construct - slots_in_turn, ready_), ready = of(construct, ready_);
    // acquire: that all others have used it.
    const auto abandoned = [&] {
      return Kind::abandoned(me, construct - slots_in_turn, left_.load(std::memory_order_acquire));
    };
    Kind::wait(state_, [&](std::uint64_t s) { return s == ready || s == before || (s == last && abandoned()); });
    std::uint64_t now = last;
    if (!abandoned() ||
        !state_.compare_exchange_strong(now, of(construct - slots_in_turn, being_cleared), std::memory_order_acquire))
      return;
    left_.store(0, std::memory_order_relaxed);  // relaxed: published by the state
    Kind::clear_away(*this);
    state_.store(before, std::memory_order_release);
  }
  static constexpr std::uint64_t of(std::uint32_t construct, phase p) { return static_cast<std::uint64_t>(construct) << 2 | p; }

  // On one line with the first data of the construct itself, so that a member gets all of it in one transfer.
  typename Machine::template word<std::uint64_t> state_{0};
  typename Machine::template word<std::uint32_t> left_{0};
};

}  // namespace weir::openmp
