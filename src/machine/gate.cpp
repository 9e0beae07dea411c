#include <weir/machine/gate.hpp>
#include <weir/machine/native.hpp>

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>

#include "scheduling.hpp"
#include "system/filter.hpp"
#include "system/raw_call.hpp"

namespace weir {

namespace {

enum class membarrier {
  unasked,  // no gate is unguarded
  refused,  // nor is any here
  works,
  failed,  // later: a gate may still be unguarded, and no sleeper there can make signallers execute a fence
};
// relaxed, everywhere: a gate's state orders what matters, see sleep_while().
constinit std::atomic<membarrier> state{membarrier::unasked};

// Under a filter later, by who first needs it (filter.hpp).
[[gnu::constructor]] void when_loaded() noexcept {
  if (!filter::is_there()) futex_kernel::ask_for_fences();
}

}  // namespace

void futex_kernel::ask_for_fences() noexcept {
  membarrier now = state.load(std::memory_order_relaxed);
  if (now != membarrier::unasked) [[likely]] return;
  const bool works = filter::call<SYS_membarrier>(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  // Another thread may have asked meanwhile, and have been refused later.
  state.compare_exchange_strong(now, works ? membarrier::works : membarrier::refused, std::memory_order_relaxed);
}

bool futex_kernel::may_be_unguarded() noexcept { return state.load(std::memory_order_relaxed) == membarrier::works; }

// A system-call filter that is set later may refuse the registered membarrier, for one thread or for all. From then on no gate
// becomes unguarded, and the next sleeper makes an unguarded gate guarded. But a signaller may have found the gate unguarded just
// before, with its store still in the store buffer, so that the sleeper's last look misses the store.
void futex_kernel::heavy_fence() noexcept {
  if (may_be_unguarded() && filter::call<SYS_membarrier>(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return;
  state.store(membarrier::failed, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void futex_kernel::stamp::set() noexcept { at_.store(native::ticks(), std::memory_order_relaxed); }

void futex_kernel::sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  if (const scheduling* const by = scheduled_by) return by->sleep_while(word, value);
  sleep_in_kernel_while(word, value);
}

void sleep_in_kernel_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  // A sleeper that missed such a signal looks again after 50 ms. relaxed: a thread that relies on a gate which another thread
  // has made guarded without a fence has acquired the gate's state, and sees this state too.
  timespec until;
  const bool unsure = state.load(std::memory_order_relaxed) == membarrier::failed;
  if (unsure) {
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 50'000'000;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
  }
  // Returns at once if the gate has been opened since its state was `value`.
  raw_call(SYS_futex, as_argument(&word), FUTEX_WAIT_BITSET_PRIVATE, static_cast<long>(value), unsure ? as_argument(&until) : 0,
           0, static_cast<long>(sleeps_by));
}

namespace {
/// Wakes at most `most` sleepers of either kind.
void wake(std::atomic<std::uint32_t>& word, unsigned most, std::uint32_t mark = FUTEX_BITSET_MATCH_ANY) noexcept {
  // seq_cst: after the change of the word; see threads::sleep_while().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (const auto of_members = wake_scheduled.load(std::memory_order_relaxed)) of_members(word, most);
  // In any case, because other threads, and users of another copy of this library, sleep in the kernel.
  raw_call(SYS_futex, as_argument(&word), FUTEX_WAKE_BITSET_PRIVATE, static_cast<long>(most), 0, 0, static_cast<long>(mark));
}
}  // namespace

void futex_kernel::wake_sleepers(std::atomic<std::uint32_t>& word) noexcept { wake(word, INT_MAX); }

// If there are sleepers of both kinds, wakes a member on a virtual processor and a thread that sleeps in the kernel, so that
// neither kind must wait until the other has no sleepers left.
void futex_kernel::wake_one(std::atomic<std::uint32_t>& word) noexcept { wake(word, 1); }

void futex_kernel::wake_marked(std::atomic<std::uint32_t>& word, std::uint32_t mark) noexcept { wake(word, INT_MAX, mark); }

template void basic_gate<futex_kernel>::open_guarded();

}  // namespace weir
