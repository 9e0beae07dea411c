// SPDX-License-Identifier: Apache-2.0
// A central barrier for members without numbers: the core of the standard, C and POSIX interfaces.
//
// A counter of arrivals and the number of the phase. Members may arrive without waiting, several
// at a time, and leave the team. Only the default waiting policy.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <weir/machine/machine.hpp>
#include <weir/waiting.hpp>

namespace weir::barriers {

template <class Machine>
class phased {
  using word = typename Machine::template word<std::uint32_t>;

 public:
  using phase = std::uint32_t;

  /// `oversubscribed`: are there more members than processors?
  constexpr phased(std::uint32_t expected, bool oversubscribed) : expected_(expected), oversubscribed_(oversubscribed) {}

  struct arrival {
    phase of;
    bool last;
  };

  /// Counts `count` members as arrived. The last one runs `completion`, then releases all.
  template <class Completion>
  arrival arrive(std::uint32_t count, Completion&& completion) {
    // relaxed, both: a member that arrives knows that the previous phase is over, by its own wait or from a member that waited.
    // The present phase cannot end without this arrival, and the release of the arrival keeps both loads before it. After the
    // arrival the number may belong to the next phase, or to another team.
    const phase now = phase_.load(std::memory_order_relaxed);
    const std::uint32_t expected = expected_.load(std::memory_order_relaxed);
    // acq_rel: publishes this member's writes; the last member acquires those of all.
    if (arrived_.fetch_add(count, std::memory_order_acq_rel) != expected - count) return {now, false};
    completion();
    // relaxed: each drop precedes the dropping member's arrival, which this member has acquired.
    const std::uint32_t dropped = dropped_.load(std::memory_order_relaxed);
    expected_.store(expected - dropped, std::memory_order_relaxed);
    dropped_.store(0, std::memory_order_relaxed);
    arrived_.store(0, std::memory_order_relaxed);
    // release: all of the above, the completion, and what the members wrote before they arrived.
    phase_.store(now + 1, std::memory_order_release);
    gate_.open();
    return {now, true};
  }

  /// One member fewer from the next phase on. The caller arrives at the present phase next.
  void drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }

  void wait(phase of) {
    const auto over = [of](std::uint32_t now) { return now != of; };
    // relaxed: a member of the old team may read this word while reuse() writes it; the phase of that member is over, whichever
    // value it reads.
    experience_.await(std::bit_cast<bool>(oversubscribed_.load(std::memory_order_relaxed)), phase_, gate_, over);
  }

  /// Has a member arrived at a phase that is not over? A hint while members are still arriving.
  bool in_use() const { return arrived_.load(std::memory_order_relaxed) != 0; }

  /// Gives the barrier to another team. The number of the phase stays: a member of the old team that has been released, but has
  /// not polled again yet, still finds that its phase is over.
  void reuse(std::uint32_t expected, bool oversubscribed) {
    // relaxed, both: they are ordered by the way in which the new team gets the barrier.
    expected_.store(expected, std::memory_order_relaxed);
    oversubscribed_.store(oversubscribed, std::memory_order_relaxed);
  }

 private:
  word expected_;
  typename Machine::template word<std::uint8_t> oversubscribed_;  // a bool: as such, each wait would normalise it again
  word dropped_{0};
  waiting::experience<Machine> experience_{};
  // The phase has a line of its own: members that spin on it must not slow members that still arrive.
  alignas(line_bytes) word arrived_{0};
  alignas(line_bytes) word phase_{0};
  typename Machine::gate gate_{};
};

}  // namespace weir::barriers
