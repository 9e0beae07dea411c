#include <weir/machine/gate.hpp>

#include <climits>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir {

namespace detail {
bool asymmetric_fences = false;

namespace {
[[gnu::constructor]] void register_membarrier() noexcept {
  asymmetric_fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
}  // namespace

void heavy_fence() noexcept {
  if (asymmetric_fences)
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);  // cannot fail once registered
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
}  // namespace detail

void gate::wait_while(std::uint32_t announced) noexcept {
  // Returns at once if the gate has been opened since we announced ourselves.
  syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, announced, nullptr, nullptr, 0);
}

void gate::wake_all(std::uint32_t seen) noexcept {
  // relaxed: a sleeper that misses this finds the new value in the kernel's own check, or is woken
  // below. Where it fails, another member has opened the gate since and wakes those that we saw; who
  // has announced itself after that looks once more, and sees what we stored.
  if (state_.compare_exchange_strong(seen, seen + 1, std::memory_order_relaxed))
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace weir
