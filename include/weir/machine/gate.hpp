// SPDX-License-Identifier: Apache-2.0
// A gate: where waiters sleep until a signaller has stored the word beside it.
//
// A sleeper announces itself, reads its word again, and sleeps; a signaller stores the word and reads whether a
// sleeper has announced itself. Each writes one word and then reads the other's (as in Dekker's algorithm):
// without an order between the store and the load, both could miss each other, and the sleeper would sleep for
// ever. The gate has two ways to order them, and changes between them:
//
//   unguarded  No thread has slept here lately. The signaller executes only a plain load of a word on the line
//              that it has just written. The sleeper pays for both: membarrier(2) makes every running thread of
//              the process execute a fence, which takes microseconds.
//   guarded    A thread has slept here lately, or the kernel has no membarrier. Signaller and sleeper both change
//              the state by a read-modify-write, so one follows the other and sees what it did: one instruction
//              for each, and no system call.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace weir {

/// The protocol alone, so that the explorer can check this source. `Kernel` stands for the system. It has `word`; the two fences;
/// `may_be_unguarded()`, which says whether the two fences suffice; `sleep_while(word, value)`, which may return spuriously;
/// `wake_sleepers(word)`; `wake_marked(word, mark)` for open_to(); `stamp`, which remembers a moment; and `guarded_for`, the
/// number of consecutive openings without a sleeper after which the gate becomes unguarded, at most 63.
template <class Kernel>
class basic_gate {
 public:
  /// The gate begins guarded if the kernel cannot be asked yet.
  constexpr basic_gate() : state_(!std::is_constant_evaluated() && Kernel::may_be_unguarded() ? 0u : guarded) {}

  /// Sleeps unless `ready()`. Returns when woken, and sometimes spuriously, so the caller must look again.
  template <class Ready>
  void sleep_unless(Ready ready) {
    // acquire: what was stored before an earlier guarded opening. A later opening sees the announcement, but nothing else that
    // this member did.
    std::uint32_t seen = state_.fetch_or(announced, std::memory_order_acquire) | announced;
    if ((seen & guarded) == 0) {
      Kernel::heavy_fence();
      // Make the gate guarded, but only if the state has not changed; otherwise look again. A signaller that found the gate
      // unguarded either did so before the fence, so its store is seen here, or it sees the announcement. relaxed: the fence
      // orders it, also for a sleeper that acquires it and finds the gate guarded.
      if (!state_.compare_exchange_strong(seen, seen | guarded, std::memory_order_relaxed)) return;
      seen |= guarded;
    }
    if (!ready()) Kernel::sleep_while(state_, seen);
  }

  /// Wakes all threads that sleep here. To be called after the store that they wait for.
  void open() {
    Kernel::light_fence();
    // relaxed: the fences order it after the signalling store.
    if ((state_.load(std::memory_order_relaxed) & (announced | guarded)) != 0) [[unlikely]] open_guarded();
  }

  /// Of the threads that sleep here, wakes those with this mark (Kernel::wake_marked), so that they look again for what they wait
  /// for besides the word. The next opening wakes the others.
  void open_to(std::uint32_t mark) {
    // The announcement stays. release: what the woken threads look for, for a thread that announces itself after this. A thread
    // that has announced itself before, and does not sleep yet, finds the state changed and looks again.
    if ((state_.fetch_add(opening, std::memory_order_release) & announced) == 0) return;
    opened_.set();
    Kernel::wake_marked(state_, mark);
  }

  /// When threads were last woken here, in the machine's ticks.
  std::uint64_t opened_at() const { return opened_.ticks(); }

 private:
  void open_guarded();

  // The futex word. The lowest bits are the present state; then follow the number of consecutive guarded openings that found no
  // sleeper, and the number of openings that found one. Each opening changes the word. A plain flag would not do: suppose that a
  // sleeper has found its word not ready, and that an opening and then another sleeper follow before the first one sleeps. The
  // first sleeper would find the flag set again, and sleep through the opening that it waited for.
  static constexpr std::uint32_t announced = 1, guarded = 2, quiet = 4, most_quiet = Kernel::guarded_for * quiet, low = 255,
                                 opening = low + 1;
  typename Kernel::template word<std::uint32_t> state_;
  [[no_unique_address]] typename Kernel::stamp opened_;
};

template <class Kernel>
void basic_gate<Kernel>::open_guarded() {
  // release: the signalling store, for a sleeper that announces itself after this. The announcement alone shows a sleeper that
  // came before.
  std::uint32_t seen = state_.fetch_add(quiet, std::memory_order_release) + quiet;
  while ((seen & announced) != 0) {
    const std::uint32_t next = ((seen | low) + 1) | (seen & guarded);
    // relaxed: it continues the release sequence that begins above.
    if (!state_.compare_exchange_strong(seen, next, std::memory_order_relaxed)) continue;
    opened_.set();
    Kernel::wake_sleepers(state_);
    return;
  }
  // relaxed: a sleeper that announces itself from here on executes its own fence.
  if ((seen & low) == (guarded | most_quiet) && Kernel::may_be_unguarded())
    state_.compare_exchange_strong(seen, seen & ~low, std::memory_order_relaxed);
}

/// Linux: futex(2) and membarrier(2).
struct futex_kernel {
  template <class T>
  using word = std::atomic<T>;

  static constexpr std::uint32_t guarded_for = 63;
  /// A fence for the compiler only: the heavy fence is one for the processors.
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
  static void heavy_fence() noexcept;
  static bool may_be_unguarded() noexcept;
  /// Asks the kernel for heavy fences, the first time. A process with one thread has them at once; otherwise the kernel waits
  /// until all processors have switched, for 10 to 100 ms where threads poll. So Weir's pthread_create() calls it, too:
  /// initializers of other libraries may create threads before Weir's own run. Thread-safe.
  static void ask_for_fences() noexcept;
  static void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
  static void wake_sleepers(std::atomic<std::uint32_t>& word) noexcept;
  /// Wakes at least one sleeper, for locks (locks.hpp).
  static void wake_one(std::atomic<std::uint32_t>& word) noexcept;
  /// Wakes the threads that sleep with a mark that has a bit in common with this one, or with no mark (Weir's
  /// src/machine/scheduling.hpp), and all members on virtual processors.
  static void wake_marked(std::atomic<std::uint32_t>& word, std::uint32_t mark) noexcept;

  /// In the ticks of the native machine.
  class stamp {
   public:
    void set() noexcept;
    // relaxed, both: it says how long a wake-up took, and orders nothing.
    std::uint64_t ticks() const noexcept { return at_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t> at_{0};
  };
};

using gate = basic_gate<futex_kernel>;
extern template void basic_gate<futex_kernel>::open_guarded();

}  // namespace weir
