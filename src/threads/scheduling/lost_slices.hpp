// When a processor whose bodies do nothing but poll lets other threads of the system run.
//
// The bodies may wait for such a thread, so the processor yields to the kernel now and then. Beside another program a yield costs
// a whole time slice. Bodies that wait by Weir's code find that out themselves, and sleep (weir/waiting_automatic.hpp, whose
// constants these are). Code of the program goes on polling: then the next yield comes after a while, and the kernel takes the
// processor when it likes.
//
// A thread of the same process takes slices, too, and does what the bodies wait for. It has run meanwhile if the process has had
// more processor time than the other processors can give, or if a thread that is kept in the kernel (kept_threads.hpp) has had
// any.
#pragma once

#include <algorithm>
#include <cstdint>

#include <weir/waiting_automatic.hpp>

namespace weir::threads {

/// Times in nanoseconds. For one thread.
class lost_slices {
  using waits = waiting::automatic_constants;

 public:
  static constexpr auto slice = static_cast<std::uint64_t>(1e3 * waits::long_yield);
  static constexpr auto shortest = static_cast<std::uint64_t>(1e3 * waits::shortest_back_off);
  static constexpr auto longest = static_cast<std::uint64_t>(1e3 * waits::longest_back_off);

  bool may_yield(std::uint64_t now) const { return now >= rests_until_; }
  /// Has a yield taken a slice lately? Until then nobody need ask for the processor time of the process, which takes as long as a
  /// yield.
  bool suspects(std::uint64_t now) const { return now < rests_until_ + longest; }

  /// The processor has yielded from `from` until `to`, while its process had `process` of the time of `processors`, if it
  /// suspects. `kept_ran`: and a thread that is kept in the kernel has run.
  void yielded(std::uint64_t from, std::uint64_t to, std::uint64_t process, unsigned processors, bool kept_ran = false) {
    const std::uint64_t took = to - from;
    if (took <= slice) return;
    if (!suspects(from)) {
      rests_until_ = to;
      rests_for_ = 0;
      return;
    }
    const bool own_thread_ran = kept_ran || 4 * process > (4 * (processors - 1) + 1) * took;
    if (own_thread_ran) return;
    rests_for_ = std::clamp(2 * rests_for_, shortest, longest);
    rests_until_ = to + rests_for_;
  }

 private:
  std::uint64_t rests_until_ = 0, rests_for_ = 0;
};

}  // namespace weir::threads
