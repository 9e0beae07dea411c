// How other threads make a body take signals, or detach: wherever it runs, when it next waits or goes on.
//
//   sender:  pending |= signal;  summons |= 1;  fence everywhere;  does the body run?  then it may have missed the summons
//   body:    it runs now;        (for the compiler)                is it summoned?     then it takes what is pending
//
// The text is a template over a machine, as run_queue.hpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

/// Signals that are blocked, as the kernel counts them: signal n is bit n - 1.
using signal_mask = std::uint64_t;

template <class Machine>
class basic_summons {
 public:
  /// The signal mask, whichever kernel thread the body runs on. Called by the body itself.
  signal_mask mask() const { return mask_.load(std::memory_order_relaxed) & ~summons; }
  void mask(signal_mask to) {
    // An update, as the sender's, so that neither is lost: the later of the two sees the earlier, and looks again. relaxed: each
    // sees it in this word.
    signal_mask before = mask_.load(std::memory_order_relaxed);
    while (!mask_.compare_exchange_strong(before, to | (before & summons), std::memory_order_relaxed)) {
    }
  }
  /// Of a context that nobody summons.
  void mask_of_context(signal_mask to) { mask_.store(to, std::memory_order_relaxed); }
  /// As mask(); but if the body must take_signals() before it goes on, this differs from the mask of every kernel thread.
  signal_mask mask_or_summons() const { return mask_.load(std::memory_order_relaxed); }
  bool is_summoned() const { return (mask_or_summons() & summons) != 0; }

  /// When the body next waits or goes on, it moves to its own kernel thread for good, because another thread changes the state of
  /// this kernel thread.
  void ask_to_detach() { summon_for(detach_request); }
  /// The same for a while, because many bodies block.
  void ask_to_detach_for_a_while() { summon_for(short_detach_request); }
  // acquire: from then on the kernel thread is the body's alone.
  bool is_asked_to_detach() const { return (pending_.load(std::memory_order_acquire) & detach_request) != 0; }
  /// relaxed: the sender of a signal wakes the body afterwards (sleepers.cpp).
  bool has_signals() const { return (pending_.load(std::memory_order_relaxed) & ~mask()) != 0; }

 protected:
  void summon_for(signal_mask signals) {
    // acq_rel: the signal, for the body; and if the body has looked before, where it has gone, for the sender, which looks again.
    pending_.fetch_or(signals, std::memory_order_acq_rel);
    mask_.fetch_or(summons, std::memory_order_relaxed);  // relaxed: pending_ orders it
  }

  /// Called by the body itself: handles what is not in `kept`, and moves to its own kernel thread if it is asked to detach.
  template <class Handle, class Detach, class DetachForAWhile>
  void answer(signal_mask kept, Handle handle, Detach detach, DetachForAWhile detach_for_a_while) {
    mask_.fetch_and(~summons, std::memory_order_relaxed);  // relaxed: as in summon_for()
    const signal_mask calls = detach_request | short_detach_request;
    // acq_rel: as in summon_for().
    if ((pending_.fetch_and(kept | calls, std::memory_order_acq_rel) & ~(kept | calls)) != 0) handle(kept);
    if (is_asked_to_detach()) {
      detach();
      // release: from now on this kernel thread is the body's alone, for the thread that changes its state.
      pending_.fetch_and(~detach_request, std::memory_order_release);
    }
    if ((pending_.fetch_and(~short_detach_request, std::memory_order_relaxed) & short_detach_request) != 0) detach_for_a_while();
    // The summons stays noted for signals that are kept; they are looked at again when the mask changes.
    if (pending_.load(std::memory_order_relaxed) != 0) mask_.fetch_or(summons, std::memory_order_relaxed);
  }

  void forget() {
    // relaxed: there is no other thread.
    pending_.store(0, std::memory_order_relaxed);
    mask_.fetch_and(~summons, std::memory_order_relaxed);
  }

 private:
  // Bits that no signal of a program has: the C library's own signals, which are never blocked.
  static constexpr signal_mask summons = signal_mask{1} << 31;
  static constexpr signal_mask short_detach_request = summons, detach_request = signal_mask{1} << 32;

  typename Machine::template word<signal_mask> mask_{0};
  typename Machine::template word<signal_mask> pending_{0};  // what waits for the body, and calls
};

}  // namespace weir::threads
