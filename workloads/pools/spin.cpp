// The command pool-spin: threads that compute in phases and meet at a barrier of the program's own, which spins.
#include <atomic>

#include "pools/phases.hpp"

namespace {

/// A thread that waits calls nothing: neither the kernel nor a library hears that it waits.
class spinning {
 public:
  explicit spinning(long threads) : threads_(threads) {}

  void arrive_and_wait() {
    // Relaxed: the word changes only after this thread has arrived.
    const long phase = phase_.load(std::memory_order_relaxed);
    // Both orders: the last to arrive passes on what all have written.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      // Relaxed: the release of the phase orders it before the next arrivals.
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    while (phase_.load(std::memory_order_acquire) == phase) pause();
  }

 private:
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const long threads_;
  alignas(128) std::atomic<long> arrived_{0};
  alignas(128) std::atomic<long> phase_{0};
};

}  // namespace

int main(int count, char** words) {
  return pools::phases<spinning>("pool-spin", "pool-spin: heat in plates, by threads that meet at a barrier that spins.", count,
                                 words);
}
