// A gate in a process that has registered for membarrier(2), and to which the kernel then refuses it.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <weir/machine/gate.hpp>

namespace {

long fence_all() { return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

/// Permanently, for the calling thread.
bool refuse_membarrier() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof code / sizeof code[0], code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// A single case, because the process keeps what it has learnt.
TEST(Membarrier, MayBeTakenAwayLater) {
  if (fence_all() != 0) GTEST_SKIP() << "this kernel has no membarrier";
  EXPECT_TRUE(weir::futex_kernel::may_be_unguarded());
  // The sleeper announces itself without a fence. A signaller may have found the gate unguarded before that, with its store not
  // yet visible, and will not open the gate again. So the sleeper must wake up by itself and check the word.
  weir::gate gate;
  std::atomic<unsigned> word{0};
  std::atomic<bool> refused{false}, is_granted{false}, came_back{false};
  std::thread sleeper([&] {
    refused = refuse_membarrier() && fence_all() != 0 && errno == EPERM;
    is_granted = !refused;
    if (is_granted) return;
    gate.sleep_unless([] { return false; });
    came_back = true;
    while (word.load(std::memory_order_acquire) == 0)
      gate.sleep_unless([&] { return word.load(std::memory_order_acquire) != 0; });
  });
  while (!came_back && !is_granted) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(weir::futex_kernel::may_be_unguarded() && refused);
  // Each opening from now on wakes the sleeper: the gate stays guarded, even if many openings find no sleeper.
  for (int i = 0; i < 200; ++i) gate.open();
  word.store(1, std::memory_order_release);
  gate.open();
  sleeper.join();
  if (!refused) GTEST_SKIP() << "this system takes no filter of system calls";
}

}  // namespace
