// Coscheduling: applications have all processors by turns [Ousterhout 1982; paper 000, section 1].
//
// An application gives the processors up between two barriers, once its slot is over. So no application is stopped in the middle
// of an episode, and a slot lasts up to an episode longer.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include <weir/machine/native.hpp>

namespace bench {

class rota {
 public:
  rota(unsigned applications, double slot_us)
      : slot_(static_cast<std::uint64_t>(slot_us * weir::native::ticks_per_microsecond())),
        runs_(applications),
        gates_(applications) {}

  /// Called by the first member of an application: from enter() until leave() the application takes part.
  void enter(unsigned application) {
    const std::lock_guard lock(mutex_);
    runs_[application] = true;
    if (turn_.load(std::memory_order_relaxed) == nobody) give(application);
  }
  void leave(unsigned application) {
    const std::lock_guard lock(mutex_);
    runs_[application] = false;
    if (turn_.load(std::memory_order_relaxed) == application) give(next_after(application));
  }

  /// By the first member, between two barriers.
  void look_at_clock(unsigned application) {
    // relaxed: the application that has the turn has set both, or has acquired them with the turn.
    if (turn_.load(std::memory_order_relaxed) != application || weir::native::ticks() - begun_ < slot_) return;
    const std::lock_guard lock(mutex_);
    if (const unsigned next = next_after(application); next != nobody) give(next);
  }
  /// By all members, before they compute.
  void await_turn(unsigned application) {
    // acquire: begun_, for look_at_clock().
    const auto has_turn = [&] { return turn_.load(std::memory_order_acquire) == application; };
    while (!has_turn()) gates_[application].sleep_unless(has_turn);
  }

 private:
  static constexpr unsigned nobody = ~0u;

  unsigned next_after(unsigned application) const {
    for (unsigned step = 1; step < runs_.size(); ++step)
      if (const auto other = static_cast<unsigned>((application + step) % runs_.size()); runs_[other]) return other;
    return nobody;
  }
  void give(unsigned application) {
    begun_ = weir::native::ticks();
    turn_.store(application, std::memory_order_release);  // for await_turn()
    if (application != nobody) gates_[application].open();
  }

  const std::uint64_t slot_;  // in ticks
  std::mutex mutex_;          // of what is below
  std::vector<char> runs_;
  std::uint64_t begun_ = 0;  // the present turn
  std::vector<weir::gate> gates_;
  std::atomic<unsigned> turn_{nobody};
};

}  // namespace bench
