// A gate: where members sleep until somebody signals the word beside it.
//
// A sleeper announces itself, looks at its word once more, and sleeps; a signaller stores the word
// and looks whether anybody has announced itself. Each writes one word and then reads the other's,
// so both need a full fence between (Dekker), or both could miss each other and the sleeper would
// sleep for ever. Signalling is the fast path and sleeping never is, so the sleeper pays for both:
// membarrier(2) makes every running thread of the process execute a fence. The signaller is left
// with a plain load of a word that lies on the line it has just written.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

/// The protocol alone. `Kernel` answers for the system: `word`, the two fences, `sleep_while(word, value)`
/// (may return without a reason) and `wake_sleepers(word)`. So the explorer checks this very text.
template <class Kernel>
class basic_gate {
 public:
  /// Sleeps unless `ready()`; returns when woken, and sometimes without a reason: look again.
  template <class Ready>
  void sleep_unless(Ready ready) {
    // relaxed: heavy_fence orders it before the look that follows.
    const std::uint32_t announced = state_.fetch_or(1, std::memory_order_relaxed) | 1u;
    Kernel::heavy_fence();
    if (!ready()) Kernel::sleep_while(state_, announced);
  }

  /// Wakes all who sleep here. Call it after the store that they wait for.
  void open() {
    Kernel::light_fence();
    // relaxed: the fences order it after the signalling store.
    const std::uint32_t seen = state_.load(std::memory_order_relaxed);
    if ((seen & 1u) != 0) [[unlikely]] wake_all(seen);
  }

 private:
  void wake_all(std::uint32_t seen);

  // The futex. Odd while somebody may sleep; each opening moves it on. A plain flag would not do: a
  // sleeper that has looked in vain, and is overtaken by an opening and by the next one's sleeper,
  // would find the flag up again and sleep through the opening that it had waited for.
  typename Kernel::template word<std::uint32_t> state_{0};
};

template <class Kernel>
void basic_gate<Kernel>::wake_all(std::uint32_t seen) {
  // relaxed: a sleeper that misses this finds the new value in the kernel's own check, or is woken
  // below. Where it fails, another member has opened the gate since and wakes those that we saw; who
  // has announced itself after that looks once more, and sees what we stored.
  if (state_.compare_exchange_strong(seen, seen + 1, std::memory_order_relaxed)) Kernel::wake_sleepers(state_);
}

/// Linux: futex(2) and membarrier(2).
struct futex_kernel {
  template <class T>
  using word = std::atomic<T>;

  static void light_fence() noexcept {
    if (asymmetric) [[likely]]
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  static void heavy_fence() noexcept;
  static void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
  static void wake_sleepers(std::atomic<std::uint32_t>& word) noexcept;

  /// Set before main, and false where the kernel refuses membarrier: then both sides fence.
  static bool asymmetric;
};

using gate = basic_gate<futex_kernel>;
extern template void basic_gate<futex_kernel>::wake_all(std::uint32_t);

}  // namespace weir
