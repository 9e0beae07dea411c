// Traps at `pause` (src/threads/preemption/pause_traps.hpp): they come where members spin, and the program sees nothing of them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "members.hpp"
#include "threads/preemption/pause_traps.hpp"
#include "threads/scheduling/pool.hpp"

namespace {

#if defined(__x86_64__) && defined(PERF_ATTR_SIZE_VER7) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

using weir::threads::pause_at;

bool are_granted() {
  perf_event_attr its{};
  its.size = sizeof its;
  its.type = PERF_TYPE_BREAKPOINT;
  its.bp_type = HW_BREAKPOINT_X;
  its.bp_addr = reinterpret_cast<std::uintptr_t>(&are_granted);
  its.bp_len = sizeof(long);
  its.sample_period = 1;
  its.exclude_kernel = its.exclude_hv = its.disabled = its.remove_on_exec = its.sigtrap = 1;
  const long file = syscall(SYS_perf_event_open, &its, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file >= 0) close(static_cast<int>(file));
  return file >= 0;
}

/// Members of one processor meet by a word that all poll.
class spinning {
 public:
  explicit spinning(unsigned members) : members_(members) {}
  void meet() {
    const unsigned mine = round_;
    if (++arrived_ == members_) {
      arrived_ = 0;
      ++round_;
      return;
    }
    while (round_ == mine) __builtin_ia32_pause();
  }

 private:
  const unsigned members_;
  std::atomic<unsigned> arrived_{0}, round_{0};
};

/// Members spin until traps have come there; false: none has come.
template <class Then>
bool spin_until_trapped(Then then, int tries = 20) {
  constexpr unsigned members = 3;
  bool some = false;
  for (int i = 0; i < tries && !some; ++i) {
    spinning meeting(members);
    std::atomic<bool> enough{false}, stop{false};
    const weir::threads::processor& mine = weir::threads::here();
    const std::uint32_t before = mine.trapped;
    weir::crowd c(members, [&](unsigned m) {
      for (int round = 0; round < 1000; ++round) {
        meeting.meet();
        if (m == 0) stop = enough || (round > 100 && mine.trapped - before > 20);
        meeting.meet();
        if (!stop) continue;
        some = true;
        then(m);
        break;
      }
    }, {.processors = 1});
    c.join();
  }
  return some;
}
void nothing(unsigned) {}

class Traps : public testing::Test {
 protected:
  void SetUp() override {
    if (!are_granted()) GTEST_SKIP() << "the system refuses breakpoints";
  }
};

TEST_F(Traps, ComeWhereMembersSpin) { EXPECT_TRUE(spin_until_trapped(nothing)); }

TEST_F(Traps, AnInstructionIsFoundBeforeAndBehind) {
  static const unsigned char code[] = {0x90, 0xf3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  EXPECT_EQ(pause_at(at + 1), at + 1);
  EXPECT_EQ(pause_at(at + 3), at + 1);
  EXPECT_EQ(pause_at(at + 2), 0u);
  EXPECT_EQ(pause_at(at + 4), 0u);
  EXPECT_EQ(pause_at(64), 0u);
}

TEST_F(Traps, AMemberMayBlockTheSignal) {
  spinning blocked(3), open(3);
  ASSERT_TRUE(spin_until_trapped([&](unsigned) {
    sigset_t its;
    sigemptyset(&its);
    sigaddset(&its, SIGTRAP);
    pthread_sigmask(SIG_BLOCK, &its, nullptr);
    for (int i = 0; i < 300; ++i) blocked.meet();
    pthread_sigmask(SIG_UNBLOCK, &its, nullptr);
    for (int i = 0; i < 300; ++i) open.meet();
  }));
  EXPECT_TRUE(spin_until_trapped(nothing));
}

/// How a child ends that does this once traps have come.
template <class Then>
int end_after(Then then) {
  const pid_t child = fork();
  if (child == 0) {
    spin_until_trapped([&](unsigned m) {
      if (m == 0) then();
    });
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(Traps, OtherSignalsOfThisKindEndTheProcess) {
  const auto ends_by_it = [](int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP; };
  EXPECT_TRUE(ends_by_it(end_after([] { raise(SIGTRAP); })));
  EXPECT_TRUE(ends_by_it(end_after([] { kill(getpid(), SIGTRAP); })));
  EXPECT_TRUE(ends_by_it(end_after([] { asm volatile("int3"); })));
}

TEST_F(Traps, AChildHasItsOwn) {
  ASSERT_TRUE(spin_until_trapped(nothing));
  const pid_t child = fork();
  if (child == 0) _exit(spin_until_trapped(nothing) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(spin_until_trapped(nothing));
}

TEST_F(Traps, AProgramFindsNoFileOfTheirs) {
  const auto lowest = [] {
    const int file = open("/dev/null", O_RDONLY);
    close(file);
    return file;
  };
  const int before = lowest();
  ASSERT_TRUE(spin_until_trapped(nothing));
  EXPECT_EQ(lowest(), before);
}

TEST_F(Traps, ADebuggerThatAttachesIsToldOfNoneAfterAWhile) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    spin_until_trapped([&](unsigned m) {
      static spinning for_ever(3);
      for (int i = 0;; ++i) {
        for_ever.meet();
        if (m == 0 && i == 2000 && write(ready[1], "x", 1) != 1) _exit(1);  // traps have been set here, too
      }
    });
    _exit(0);
  }
  char got = 0;
  ASSERT_EQ(read(ready[0], &got, 1), 1);
  for (const auto& each : std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/task"))
    ptrace(PTRACE_SEIZE, std::stoi(each.path().filename()), nullptr, nullptr);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  auto last = now();
  bool is_quiet = false;
  int told = 0;
  for (const auto begin = now(); !is_quiet && now() - begin < std::chrono::seconds(200);) {
    int status = 0;
    if (const pid_t stopped = waitpid(-1, &status, __WALL | WNOHANG); stopped > 0) {
      ASSERT_TRUE(WIFSTOPPED(status));
      const int which = WSTOPSIG(status);
      if (which == SIGTRAP) last = now();
      told += which == SIGTRAP;
      ptrace(PTRACE_CONT, stopped, nullptr, which);
    }
    is_quiet = now() - last > std::chrono::seconds(1);
  }
  EXPECT_TRUE(is_quiet) << "told of " << told;
  kill(child, SIGKILL);
  while (waitpid(-1, nullptr, __WALL) > 0) {  // each of its threads is traced
  }
}

// The last one: there are no traps any more in this process.
std::atomic<int> handled{0};

TEST_F(Traps, TheProgramHandlesItsSignalAlone) {
  static struct sigaction was {}, of_program {};
  of_program.sa_handler = [](int) { ++handled; };
  spinning after(3);
  ASSERT_TRUE(spin_until_trapped([&](unsigned m) {
    if (m == 0) {
      struct sigaction now {};
      EXPECT_EQ(sigaction(SIGTRAP, nullptr, &now), 0);
      EXPECT_EQ(now.sa_handler, SIG_DFL);
      EXPECT_EQ(now.sa_flags, 0);
      EXPECT_EQ(sigaction(SIGTRAP, &of_program, &was), 0);
      EXPECT_EQ(was.sa_handler, SIG_DFL);
    }
    for (int i = 0; i < 2000; ++i) after.meet();
    if (m == 1) raise(SIGTRAP);
  }));
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(signal(SIGTRAP, SIG_DFL), of_program.sa_handler);
  EXPECT_FALSE(spin_until_trapped(nothing, 1)) << "the program has the signal";
}

#endif

}  // namespace
