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

void gate::wait_for_opening() noexcept {
  // Returns at once if a signaller has reset the word since we announced ourselves.
  syscall(SYS_futex, &asleep_, FUTEX_WAIT_PRIVATE, 1u, nullptr, nullptr, 0);
}

void gate::wake_all() noexcept {
  // relaxed: a sleeper that misses this store finds 0 in the kernel's own check, or is woken below.
  asleep_.store(0, std::memory_order_relaxed);
  syscall(SYS_futex, &asleep_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace weir
