#include <weir/machine/gate.hpp>
#include <weir/machine/native.hpp>

#include <climits>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir {

bool futex_kernel::asymmetric = false;

namespace {
[[gnu::constructor]] void register_membarrier() noexcept {
  futex_kernel::asymmetric = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
}  // namespace

void futex_kernel::heavy_fence() noexcept {
  if (asymmetric)
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);  // cannot fail once registered
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void futex_kernel::stamp::set() noexcept { at_.store(native::ticks(), std::memory_order_relaxed); }

void futex_kernel::sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  // Returns at once if the gate has been opened since its state was `value`.
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_kernel::wake_sleepers(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

template void basic_gate<futex_kernel>::open_guarded();

}  // namespace weir
