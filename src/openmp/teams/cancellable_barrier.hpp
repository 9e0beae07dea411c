// A barrier that members may leave for good: that of a team whose region can be cancelled. A member that has left counts as
// arrived in every later episode, so members that do not notice the cancellation still pass.
//
// A template over a Machine, so that the explorer can search it. The caller decides how members wait.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::openmp {

template <class Machine>
class cancellable_barrier {
 public:
  explicit cancellable_barrier(unsigned members) : word_(members), members_(members) {}

  /// Called while no member is in the barrier: no member has left it from now on. relaxed: the word is published by what lets the
  /// members begin.
  void start_over() { word_.store(members_, std::memory_order_relaxed); }

  /// Has a member cancelled the region? acquire: what that member did before.
  bool is_cancelled() const { return cancelled_in(word_.load(std::memory_order_acquire)); }

  /// Cancels the region. The caller must then wake the members that wait and may leave.
  void cancel() { word_.fetch_or(cancelled, std::memory_order_release); }

  /// The caller, which is not at the barrier, will not come again. True: the caller must wake the members that wait.
  bool leave() {
    const std::uint64_t before = arrive(member_left);
    return episode_in(after_arrival(before, member_left)) != episode_in(before);
  }

  /// Arrives, and waits by `wait(word, ready)` until all others have arrived or left; the last to arrive calls `wake`. If the
  /// caller `may_leave`, it waits no longer than until the region is cancelled, and has then left: true.
  template <class Wait, class Wake>
  bool arrive_and_wait(bool may_leave, Wait wait, Wake wake) {
    if (may_leave && is_cancelled()) {
      if (leave()) wake();
      return true;
    }
    const std::uint64_t before = arrive(0), episode = episode_in(before);
    if (episode_in(after_arrival(before, 0)) != episode) {
      wake();
      return false;
    }
    wait(word_, [=](std::uint64_t now) { return episode_in(now) != episode || (may_leave && cancelled_in(now)); });
    // acquire: what the others did before they arrived.
    std::uint64_t now = word_.load(std::memory_order_acquire);
    // The region is cancelled: the caller leaves, and withdraws its arrival. acq_rel: as in arrive().
    while (episode_in(now) == episode)
      if (word_.compare_exchange_strong(now, now + member_left, std::memory_order_acq_rel)) return true;
    return false;
  }

 private:
  // One word: the members that this episode still waits for, those that have left, whether the region is cancelled, the episode.
  static constexpr std::uint64_t member_missing = 1, member_left = 1 << 16, cancelled = std::uint64_t{1} << 32,
                                 next_episode = std::uint64_t{1} << 33;
  static constexpr std::uint64_t missing_in(std::uint64_t word) { return word & 0xffff; }
  static constexpr std::uint64_t left_in(std::uint64_t word) { return word >> 16 & 0xffff; }
  static constexpr bool cancelled_in(std::uint64_t word) { return (word & cancelled) != 0; }
  static constexpr std::uint64_t episode_in(std::uint64_t word) { return word / next_episode; }

  /// `leaving`: member_left, or 0.
  std::uint64_t after_arrival(std::uint64_t word, std::uint64_t leaving) const {
    word += leaving - member_missing;
    return missing_in(word) != 0 ? word : word + next_episode + members_ - left_in(word);
  }

  /// The word before.
  std::uint64_t arrive(std::uint64_t leaving) {
    std::uint64_t now = word_.load(std::memory_order_relaxed);  // relaxed: confirmed by the exchange
    // acq_rel: what the caller did, for the others; and what they did, for the last to arrive, which does not wait.
    while (!word_.compare_exchange_strong(now, after_arrival(now, leaving), std::memory_order_acq_rel)) {
    }
    return now;
  }

  typename Machine::template word<std::uint64_t> word_;
  const unsigned members_;
};

}  // namespace weir::openmp
