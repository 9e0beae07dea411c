// A central barrier for members without numbers: the core of the standard, C and POSIX faces.
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

  /// `shared`: are there more members than processors?
  constexpr phased(std::uint32_t expected, bool shared) : expected_(expected), shared_(shared) {}

  struct arrival {
    phase of;
    bool last;
  };

  /// Counts `count` members as arrived. The last one runs `completion`, then lets everybody go.
  template <class Completion>
  arrival arrive(std::uint32_t count, Completion&& completion) {
    // relaxed, both: a member that arrives knows that the phase before is over, by its own wait or from who waited. This one cannot
    // end before the arrival, whose release keeps the loads ahead of it: this arrival is among those that it needs. After the
    // arrival the number may be the next phase's, or another team's.
    const phase now = phase_.load(std::memory_order_relaxed);
    const std::uint32_t expected = expected_.load(std::memory_order_relaxed);
    // acq_rel: publishes this member's writes, and gives the last one everybody's.
    if (arrived_.fetch_add(count, std::memory_order_acq_rel) != expected - count) return {now, false};
    completion();
    // relaxed: each drop came before the dropping member's arrival, which this member has acquired.
    const std::uint32_t dropped = dropped_.load(std::memory_order_relaxed);
    expected_.store(expected - dropped, std::memory_order_relaxed);
    dropped_.store(0, std::memory_order_relaxed);
    arrived_.store(0, std::memory_order_relaxed);
    // release: all of the above, the completion, and what the members wrote before they arrived.
    phase_.store(now + 1, std::memory_order_release);
    gate_.open();
    return {now, true};
  }

  /// One member fewer from the next phase on; the caller arrives at this one next.
  void drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }

  void wait(phase of) {
    const auto over = [of](std::uint32_t now) { return now != of; };
    // relaxed: a member of the old team may read it while reuse() writes it, and finds its phase over whatever it reads.
    experience_.await(std::bit_cast<bool>(shared_.load(std::memory_order_relaxed)), phase_, gate_, over);
  }

  /// Has somebody arrived at a phase that is not over? A hint where members are still arriving.
  bool in_use() const { return arrived_.load(std::memory_order_relaxed) != 0; }

  /// Makes the barrier one of another team. The phase goes on: a member of the old team that has
  /// been let go, but not yet looked, still finds that its phase is over.
  void reuse(std::uint32_t expected, bool shared) {
    // relaxed, both: whoever passes the barrier on to the new team orders them.
    expected_.store(expected, std::memory_order_relaxed);
    shared_.store(shared, std::memory_order_relaxed);
  }

 private:
  word expected_;
  typename Machine::template word<std::uint8_t> shared_;  // a bool: as one, compilers would make it one once more in each wait
  word dropped_{0};
  waiting::experience<Machine> experience_{};
  // The phase has a line of its own: who spins on it must not slow those who still arrive.
  alignas(line_bytes) word arrived_{0};
  alignas(line_bytes) word phase_{0};
  typename Machine::gate gate_{};
};

}  // namespace weir::barriers
