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

namespace detail {
// Set before main, and false where the kernel refuses membarrier: then both sides fence.
extern bool asymmetric_fences;

inline void light_fence() noexcept {
  if (asymmetric_fences) [[likely]]
    std::atomic_signal_fence(std::memory_order_seq_cst);
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
void heavy_fence() noexcept;
}  // namespace detail

class gate {
 public:
  /// Sleeps unless `ready()`; returns when woken, and sometimes without a reason: look again.
  template <class Ready>
  void sleep_unless(Ready ready) noexcept {
    // relaxed: heavy_fence orders it before the look that follows.
    const std::uint32_t announced = state_.fetch_or(1, std::memory_order_relaxed) | 1u;
    detail::heavy_fence();
    if (!ready()) wait_while(announced);
  }

  /// Wakes all who sleep here. Call it after the store that they wait for.
  void open() noexcept {
    detail::light_fence();
    // relaxed: the fences order it after the signalling store.
    const std::uint32_t seen = state_.load(std::memory_order_relaxed);
    if ((seen & 1u) != 0) [[unlikely]] wake_all(seen);
  }

 private:
  void wait_while(std::uint32_t announced) noexcept;
  void wake_all(std::uint32_t seen) noexcept;

  // The futex. Odd while somebody may sleep; each opening moves it on. A plain flag would not do: a
  // sleeper that has looked in vain, and is overtaken by an opening and by the next one's sleeper,
  // would find the flag up again and sleep through the opening that it had waited for.
  std::atomic<std::uint32_t> state_{0};
};

}  // namespace weir
