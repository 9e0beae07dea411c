#include "filter.hpp"

#include <csignal>
#include <ctime>
#include <new>

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace weir::filter {

constinit std::atomic<std::uint32_t> found{0};

namespace {

constexpr std::size_t calls = sizeof unusual_calls / sizeof unusual_calls[0];
constexpr std::uint32_t all_calls = (1u << calls) - 1;

/// With arguments that change nothing in this process, which ends soon.
void make(long number) {
  timespec none{};
  switch (number) {
    case SYS_membarrier:
      raw_call(number, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
      raw_call(number, MEMBARRIER_CMD_PRIVATE_EXPEDITED);
      break;
    case SYS_process_vm_readv: raw_call(number, raw_call(SYS_getpid)); break;
    case SYS_close_range: raw_call(number, static_cast<long>(~0u), static_cast<long>(~0u), 2); break;  // CLOSE_RANGE_UNSHARE
    case SYS_ioprio_get: raw_call(number, 1); break;
    case SYS_personality: raw_call(number, 0xffffffff); break;
    case SYS_setfsuid: case SYS_setfsgid: raw_call(number, -1); break;
    case SYS_rt_tgsigqueueinfo: {
      siginfo_t why{};
      why.si_code = SI_QUEUE;
      const long me = raw_call(SYS_getpid);
      raw_call(number, me, me, 0, as_argument(&why));
      break;
    }
    case SYS_rt_sigtimedwait: {
      const std::uint64_t nothing = 0;
      raw_call(number, as_argument(&nothing), 0, as_argument(&none), sizeof nothing);
      break;
    }
    case SYS_clock_gettime: raw_call(number, CLOCK_PROCESS_CPUTIME_ID, as_argument(&none)); break;
    case SYS_ppoll: raw_call(number, 0, 0, as_argument(&none), 0, 0); break;
    default: raw_call(number);  // refused, or without an effect
  }
}

/// A child with a copy of the memory, which makes the calls from `first` on. Returns the one for which it has been ended;
/// `calls`: none.
std::size_t next_fatal(std::atomic<std::uint32_t>& made, std::size_t first) {
  made.store(static_cast<std::uint32_t>(first), std::memory_order_relaxed);  // relaxed, all: the kernel orders it
  // Without a signal at its end, of which the program would hear.
  const long child = raw_call(SYS_clone, 0, 0, 0, 0, 0);
  if (child == 0) {
    // No picture of the memory. is_there() has made such a call, too.
    raw_call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
    for (std::size_t i = first; i < calls; ++i) {
      made.store(static_cast<std::uint32_t>(i), std::memory_order_relaxed);
      make(unusual_calls[i].number);
    }
    made.store(calls, std::memory_order_relaxed);
    for (;;) raw_call(SYS_exit_group, 0);
  }
  if (child < 0) return first;
  while (raw_call(SYS_wait4, child, 0, __WALL, 0) == -EINTR) {
  }
  return made.load(std::memory_order_relaxed);
}

std::uint32_t fatal() {
  if (!is_there()) return 0;
  void* const page = mmap(nullptr, sizeof(std::uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return all_calls;
  auto& made = *new (page) std::atomic<std::uint32_t>(0);
  std::uint32_t bits_found = 0;
  for (std::size_t i = 0; (i = next_fatal(made, i)) < calls; ++i) bits_found |= 1u << i;
  munmap(page, sizeof(std::uint32_t));
  return bits_found;
}

}  // namespace

bool is_there() noexcept { return raw_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0) > 0; }

void forget() noexcept { found.store(0, std::memory_order_relaxed); }
std::uint32_t make_none() noexcept { return found.exchange(all_calls | asked, std::memory_order_relaxed); }
void make_again(std::uint32_t found_before) noexcept { found.store(found_before, std::memory_order_relaxed); }

// Two threads that ask at the same time find the same.
void ask() noexcept {
  if (found.load(std::memory_order_relaxed) == 0) found.store(fatal() | asked, std::memory_order_relaxed);
}

}  // namespace weir::filter
