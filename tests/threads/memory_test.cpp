// Stacks, libraries that are loaded, and processes that begin in a member.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "members.hpp"

namespace {

struct range {
  std::byte *first, *guard;  // of the stack; its guard is below
  std::size_t bytes, guard_bytes;
};
range my_stack() {
  pthread_attr_t attributes;
  void* first = nullptr;
  std::size_t bytes = 0, guard = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &first, &bytes);
  pthread_attr_getguardsize(&attributes, &guard);
  pthread_attr_destroy(&attributes);
  auto* const begin = static_cast<std::byte*>(first);
  return {begin, begin - guard, bytes, guard};
}

TEST(Stack, AMemberRunsOnItsOwn) {
  std::atomic<int> outside{0};
  weir::crowd c(7, [&](unsigned) {
    const range stack = my_stack();
    const std::byte here{};
    yields(4);
    if (&here < stack.first || &here >= stack.first + stack.bytes || stack.guard_bytes == 0) ++outside;
  }, {.processors = 2, .stack_bytes = 262144});
  c.join();
  EXPECT_EQ(outside, 0);
}

#if !defined(__SANITIZE_ADDRESS__)  // which has a shadow of all memory
// A page each of the body's stack, of the stack on which its kernel thread sleeps, of thread-local variables, and of tables.
TEST(Stack, AMemberTakesFewPages) {
  const auto resident = [] {
    long size = 0, pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(file, "%ld %ld", &size, &pages), 2);
    std::fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
  };
  constexpr unsigned members = 500;
  std::atomic<unsigned> there{0};
  long before = 0, with_all = 0;
  weir::crowd(4, [](unsigned) { yields(2); }).join();  // what is needed once
  before = resident();
  weir::crowd c(members, [&](unsigned m) {
    for (++there; there < members;) yields(1);
    if (m == 0) with_all = resident();
  }, {.processors = 1, .stack_bytes = 65536});  // too small for a huge page
  c.join();
  EXPECT_LT(with_all - before, static_cast<long>(members) * 24 * 1024);
}
#endif

// ---- overflow, in a process of its own that ends by it

constinit range overflowing{};
void judge(int, siginfo_t* what, void*) {
  auto* const at = static_cast<std::byte*>(what->si_addr);
  _exit(at >= overflowing.guard && at < overflowing.first ? 42 : 43);
}

[[gnu::noinline]] int deeper(int depth) {
  volatile std::byte frame[1024];
  frame[static_cast<unsigned>(depth) % 1024] = std::byte{1};
  return depth < 0 ? 0 : deeper(depth + 1) + static_cast<int>(frame[0]);
}

void overflow(unsigned processors, bool handled) {
  weir::crowd c(4, [&](unsigned m) {
    yields(5);
    if (m != 2) return yields(1000);
    // An alternate stack is the virtual processor's, which handles the fault.
    static std::array<std::byte, 65536> alternate;
    const stack_t on_array{alternate.data(), 0, alternate.size()};
    sigaltstack(&on_array, nullptr);
    struct sigaction action {};
    action.sa_sigaction = judge;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (handled) sigaction(SIGSEGV, &action, nullptr);
    overflowing = my_stack();
    deeper(0);
  }, {.processors = processors, .stack_bytes = 131072});
}

TEST(StackDeathTest, AnOverflowEndsTheProcess) {
#if defined(__SANITIZE_ADDRESS__)
  const testing::ExitedWithCode how(1);
  const char* const said = "stack-overflow";  // AddressSanitizer knows whose stack it is
#else
  const testing::KilledBySignal how(SIGSEGV);
  const char* const said = "";
#endif
  EXPECT_EXIT(overflow(1, false), how, said);
  EXPECT_EXIT(overflow(2, false), how, said);
}

TEST(StackDeathTest, AnOverflowMeetsTheMembersGuardPage) {
  EXPECT_EXIT(overflow(1, true), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(overflow(2, true), testing::ExitedWithCode(42), "");
}

// ---- unwinding

[[gnu::noinline]] void throws_below(unsigned depth, int what) {
  if (depth == 0) throw what;
  yields(1);
  throws_below(depth - 1, what);
  yields(1);
}

TEST(Stack, ItIsUnwoundToItsEnd) {
  std::atomic<int> wrong{0};
  weir::crowd c(5, [&](unsigned m) {
    for (int i = 0; i < 20; ++i) {
      try {
        throws_below(m + 1, i);
        ++wrong;
      } catch (const int what) {
        if (what != i) ++wrong;
      }
      std::array<void*, 64> frames;
      const int found = backtrace(frames.data(), frames.size());
      if (found < 3 || found == 64) ++wrong;
    }
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(wrong, 0);
}

// ---- libraries

TEST(Libraries, AMemberMayLoadOneAndHasItsVariables) {
  std::atomic<int> wrong{0}, loaded{0};
  weir::crowd c(6, [&](unsigned m) {
    yields(static_cast<int>(m));
    void* const library = dlopen(WEIR_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    ++loaded;
    auto* const exchange = reinterpret_cast<int (*)(int)>(dlsym(library, "exchange"));
    int before = 7;
    for (int i = 0; i < 50; ++i, yields(1)) {
      if (exchange(static_cast<int>(m) * 100 + i) != before) ++wrong;
      before = static_cast<int>(m) * 100 + i;
    }
    dlclose(library);
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(loaded, 6);
  EXPECT_EQ(wrong, 0);
}

// ---- processes

/// How the process has ended: its exit status, or minus its signal.
int end_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) == -1 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Has the kernel an area for the caller's restartable sequences? It writes there until the thread ends.
bool has_rseq_area() {
#if defined(__x86_64__)
  alignas(32) static std::byte area[32];
  constexpr unsigned signature = 0x53053053, unregister = 1;
  if (syscall(SYS_rseq, area, sizeof area, 0, signature) != 0) return errno != ENOSYS;
  syscall(SYS_rseq, area, sizeof area, unregister, signature);
#endif
  return false;
}

// GCC's AddressSanitizer does not hold its allocator's locks over a fork, so the child waits for ever for one that another thread
// held; and it takes for leaks what only the stacks of threads hold that the child has not. Plain threads meet both.
#if defined(__SANITIZE_ADDRESS__)
#define EXCEPT_UNDER_ADDRESS_SANITIZER() GTEST_SKIP() << "under a sanitizer: it does not follow the forks of threads"
#else
#define EXCEPT_UNDER_ADDRESS_SANITIZER()
#endif

TEST(Processes, TheChildOfAForkIsAnOrdinaryThread) {
  EXCEPT_UNDER_ADDRESS_SANITIZER();
  thread_local unsigned number_here = 0;
  std::vector<int> ends(4, -1);
  weir::crowd c(4, [&](unsigned m) {
    number_here = m;
    yields(3);
    const pid_t child = fork();
    if (child == 0) {
      // That of the virtual processor's thread, whose memory may go any time now, must not stay.
      if (has_rseq_area()) _exit(2);
      // Its thread-local variables are the member's, it has a processor of its own, and may have a crowd.
      std::atomic<unsigned> ran{0};
      {
        weir::crowd again(3, [&](unsigned) {
          yields(5);
          ++ran;
        });
      }
      _exit(number_here == m && ran == 3 && getpid() == kernel_thread() ? 0 : 1);
    }
    yields(3);
    ends[m] = end_of(child);
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(ends, std::vector<int>(4, 0));
}

// The child of a fork has no other members, so its only thread's end is the process's.
TEST(Processes, AForkedMemberThatEndsIsFollowedByNone) {
  EXCEPT_UNDER_ADDRESS_SANITIZER();
  const pid_t parent = getpid();
  const auto ends_if_in_child = [&] {
    if (getpid() != parent) _exit(3);
  };
  std::vector<int> ends(3, 0);
  weir::crowd c(3, [&](unsigned m) {
    yields(5);
    ends_if_in_child();
    const pid_t child = fork();
    if (child == 0) return;
    yields(3);
    ends_if_in_child();
    ends[m] = end_of(child);
  }, {.processors = 1});
  c.join();
  ends_if_in_child();
  EXPECT_EQ(ends, std::vector<int>(3, 0));
}

[[gnu::noinline]] pid_t vforked(const char* name, char* const* words) {
  const pid_t child = vfork();
  if (child == 0) {
    execv(name, words);
    _exit(1);
  }
  return child;
}

TEST(Processes, AMemberMayStartAProgram) {
  std::vector<int> ends(4, -1);
  weir::crowd c(4, [&](unsigned m) {
    char name[] = "/bin/sh", option[] = "-c", script[] = "exit 5";
    char* const words[] = {name, option, script, nullptr};
    for (int i = 0; i < 3; ++i) {
      pid_t child = -1;
      if (m % 2 == 0)
        EXPECT_EQ(posix_spawn(&child, name, nullptr, nullptr, words, environ), 0);
      else
        child = vforked(name, words);
      yields(1);
      ends[m] = end_of(child);
    }
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(ends, std::vector<int>(4, 5));
}

}  // namespace
