// Which member is taken for one that spins: a member whose registers are twice the same. And what that finds when it goes on.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../retries.hpp"
#include "members.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/preemption/trampoline_entry.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/processor.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {
constinit std::atomic<int> asked_for_stack{0};
}
// In the place of the C library's, for this program. A function that succeeds may change errno, too, and the handler of a tick
// asks for the alternate stack at its end.
extern "C" int sigaltstack(const stack_t* to, stack_t* old) noexcept {
  const auto result = static_cast<int>(syscall(SYS_sigaltstack, to, old));
  if (to == nullptr) {
    ++asked_for_stack;
    errno = EDOM;
  }
  return result;
}
#endif

namespace {

using namespace std::chrono_literals;

#if defined(__x86_64__)

// Loops of some 40 ms or more, in which one register changes.
void count_in_rax() {
  std::uint64_t left = 100'000'000;
  asm volatile("1: dec %0\n jnz 1b" : "+a"(left));
}
void count_in_r11() {
  register std::uint64_t left asm("r11") = 100'000'000;
  asm volatile("1: dec %0\n jnz 1b" : "+r"(left));
}
void sum_in_floating_point() {
  double left = 30'000'000;
  asm volatile("1: subsd %1, %0\n ucomisd %2, %0\n ja 1b" : "+x"(left) : "x"(1.0), "x"(0.0));
}

/// How often the other member of a processor gets it meanwhile, beyond once in 4 ms: one that computes has it for 17 ms, one that
/// spins for 0.1. Where both stay on one processor.
int turns_too_many(void (*compute)()) {
  int too_many = 0;
  EXPECT_TRUE(retries::holds("tick: stolen", 1000, [&] {
    std::atomic<long> computes_on{0};  // which kernel thread drives it; -1: none any more
    int turns = 0;
    bool moved = false;
    weir::crowd c(2, [&](unsigned m) {
      if (m == 0) {
        yields(1);
        const auto begin = std::chrono::steady_clock::now();
        computes_on = kernel_thread();
        compute();
        const auto took = std::chrono::steady_clock::now() - begin;
        moved = computes_on != kernel_thread();
        computes_on = -1;
        too_many = -static_cast<int>(took / std::chrono::milliseconds(4));
      } else {
        for (long on; (on = computes_on) != -1; yields(1)) turns += on == kernel_thread();
      }
    }, {.processors = 1});
    c.join();
    too_many += turns;
    return !moved;
  }));
  return too_many;
}

TEST(Tick, AMemberThatComputesKeepsItsProcessorWhicheverRegisterChanges) {
  EXPECT_LE(turns_too_many(count_in_rax), 10);
  EXPECT_LE(turns_too_many(count_in_r11), 10);
  EXPECT_LE(turns_too_many(sum_in_floating_point), 10);
}

/// Four members of one processor, each of which polls for its turn and then computes for 3 ms. Do they get only a few ticks in a
/// turn, sooner or later? Ticks that look for members that spin would come ten times as often. Not at first, before there is a
/// trampoline.
bool get_few_ticks_after_a_while(int few) {
  constexpr unsigned some_turns = 20, most_turns = 8 * some_turns;
  std::atomic<unsigned> turn{0};
  std::atomic<int> ticks{0};
  std::atomic<bool> ends{false}, are_few{false};
  weir::crowd c(4, [&](unsigned m) {
    const weir::threads::body& me = *weir::threads::this_body;
    while (!ends) {
      while (turn % 4 != m && !ends) __builtin_ia32_pause();
      std::uint64_t found = me.ticked_at;  // a hash of the registers that the last tick has found
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
      while (std::chrono::steady_clock::now() < end) {
        std::uint64_t left = 20'000;
        asm volatile("1: dec %0\n jnz 1b" : "+a"(left));
        if (const std::uint64_t now = me.ticked_at; std::exchange(found, now) != now) ++ticks;
      }
      if ((turn + 1) % some_turns == 0) {
        are_few = ticks.exchange(0) <= few * static_cast<int>(some_turns);
        ends = are_few || turn >= most_turns;
      }
      ++turn;
    }
  }, {.processors = 1});
  c.join();
  return are_few;
}

TEST(Tick, MembersThatYieldAtATrampolineGetFew) {
  if (weir::threads::trampoline_entry() == nullptr) GTEST_SKIP() << "there are no trampolines on this processor";
  EXPECT_TRUE(retries::holds("tick: first places", 30, [] { return get_few_ticks_after_a_while(3); }));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// Member 0 spins, with the same registers, until member 1 of its processor has done this, which must come there by a tick. The
/// spinning member looks afterwards.
template <class Do, class Look>
void in_a_tick(Do what, Look look) {
  EXPECT_TRUE(retries::holds("tick: none", 1000, [&] {
    std::atomic<std::uint32_t> done{0};
    std::atomic<long> thread{0};
    bool ticked = false;
    weir::crowd c(2, [&](unsigned m) {
      if (m == 0) {
        yields(1);
        thread = kernel_thread();
        const int before = asked_for_stack;
        errno = ERANGE;
        asm volatile("1: pause\n cmpl $0, (%0)\n je 1b" : : "r"(&done) : "cc", "memory");
        const int its_errno = errno;
        ticked = asked_for_stack != before && thread == kernel_thread();
        look(its_errno, ticked);
      } else {
        while (thread == 0) yields(1);
        if (thread == kernel_thread()) what();
        else thread = -1;  // a processor of earlier crowds has stolen it
        done = 1;
      }
    }, {.processors = 1});
    c.join();
    return ticked;
  }));
}

TEST(Tick, AMemberThatItMakesYieldKeepsItsErrno) {
  in_a_tick([] {}, [](int its_errno, bool) { EXPECT_EQ(its_errno, ERANGE); });
}

TEST(Tick, AnAlternateStackThatAnotherMemberSetsMeanwhileStays) {
  std::vector<std::byte> memory(65536);
  stack_t before{}, seen{};
  in_a_tick(
      [&] {
        const stack_t alternate{memory.data(), 0, memory.size()};
        EXPECT_EQ(sigaltstack(&alternate, &before), 0);
      },
      [&](int, bool ticked) {
        sigaltstack(nullptr, &seen);
        if (before.ss_flags != 0 || before.ss_sp != nullptr) sigaltstack(&before, nullptr);
        if (ticked) {
          EXPECT_EQ(seen.ss_sp, memory.data());
        }
      });
}

// Others run there before the handler returns.
// A thread that is stopped in the C library may hold one of that library's locks.
TEST(Tick, FindsNoMemberInTheCLibrary) {
  const auto of_library = [](const char* name) { return dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), name); };
  const auto lock_of_library = reinterpret_cast<decltype(&pthread_spin_lock)>(of_library("pthread_spin_lock"));
  ASSERT_NE(lock_of_library, nullptr);
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  std::uint32_t found = 0;
  for (int round = 0; round < 8; ++round) {
    std::atomic<bool> taken{false};
    weir::crowd c(2, [&](unsigned m) {
      if (m == 0) {
        lock_of_library(&lock);
        taken = true;
        yields(1);  // it goes on beside the other one, which has computed for a slice
        pthread_spin_unlock(&lock);
      } else {
        while (!taken) yields(1);
        const weir::threads::processor& here = *weir::threads::this_body->where();
        const std::uint32_t before = here.spins;
        lock_of_library(&lock);
        found += here.spins - before;
        pthread_spin_unlock(&lock);
      }
    }, {.processors = 1});
    c.join();
  }
  EXPECT_EQ(found, 0u);
  pthread_spin_destroy(&lock);
}

TEST(Tick, ItsHandlerBlocksNoSignal) {
  sigset_t before, inside, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  in_a_tick([&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); },
            [&](int, bool) { pthread_sigmask(SIG_SETMASK, nullptr, &after); });
  for (int number = 1; number < 32; ++number) {
    EXPECT_EQ(sigismember(&inside, number), sigismember(&before, number)) << number;
    EXPECT_EQ(sigismember(&after, number), sigismember(&before, number)) << number;
  }
}

/// Three members of one processor meet by a word that all poll, in a loop that also counts.
class spinning_barrier {
 public:
  void meet() {
    const unsigned own_round = round_;
    if (++arrived_ == 3) {
      arrived_ = 0;
      ++round_;
      return;
    }
    for (; round_ == own_round; ++polls_) __builtin_ia32_pause();
  }

 private:
  std::atomic<unsigned> arrived_{0}, round_{0}, polls_{0};
};

// What makes a member yield may end no process, whatever signal is blocked, as a breakpoint would where SIGTRAP is. Tried again
// where a processor of earlier crowds has stolen a member.
TEST(Tick, MembersThatBlockSignalsAndPollAreFoundAndLiveOn) {
  sigset_t but_ticks;
  sigfillset(&but_ticks);
  sigdelset(&but_ticks, SIGURG);
  std::uint32_t found = 0;
  for (int i = 0; i < 1000 && found < 20; ++i) {
    spinning_barrier meeting;
    std::atomic<const weir::threads::processor*> on[3]{};
    std::atomic<bool> ends{false};
    weir::crowd c(3, [&](unsigned m) {
      pthread_sigmask(SIG_BLOCK, &but_ticks, nullptr);
      const weir::threads::processor& here = *weir::threads::this_body->where();
      const auto counted = [&here] { return here.spins + here.jumped; };
      const std::uint32_t before = counted();
      for (int round = 0; !ends; ++round) {
        on[m] = weir::threads::this_body->where();
        meeting.meet();
        if (m == 0) ends = round == 200 || counted() - before >= 20 || on[0] != on[1] || on[0] != on[2];
        meeting.meet();
      }
      if (m == 0) found += counted() - before;
      sigset_t now;
      pthread_sigmask(SIG_SETMASK, nullptr, &now);
      EXPECT_EQ(sigismember(&now, SIGTRAP), 1);
      EXPECT_EQ(sigismember(&now, SIGTERM), 1);
    }, {.processors = 1});
    c.join();
  }
  EXPECT_GE(found, 20u);
}

constinit std::atomic<std::uint32_t> seen_in_handler{0}, in_handler{0};
void wait_in_handler(int) {
  in_handler = 1;
  asm volatile("1: cmpl $0, (%0)\n je 1b" : : "r"(&seen_in_handler) : "cc", "memory");
}

// Its mask is another one than the member's. A stand-in runs the other member in the end.
TEST(Tick, DoesNothingInAHandler) {
  struct sigaction before {}, action {};
  action.sa_handler = wait_in_handler;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  seen_in_handler = in_handler = 0;
  const int asked_before = asked_for_stack;
  weir::crowd c(2, [](unsigned m) {
    if (m == 0) {
      raise(SIGUSR1);
    } else {
      while (in_handler == 0) yields(1);
      seen_in_handler = 1;
    }
  }, {.processors = 1});
  c.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(asked_for_stack, asked_before);
}

#endif

/// Makes this call, which waits until a time limit, while signals of this kind find it in the system.
void ends_in_time(const char* what, void (*send)(pid_t), int (*call)()) {
  std::atomic<pid_t> id{0};
  int result = -1, error = 0;
  std::thread caller([&] {
    id = static_cast<pid_t>(syscall(SYS_gettid));
    errno = 0;
    result = call();
    error = errno;
    id = -1;
  });
  while (id == 0) std::this_thread::yield();
  for (int sent = 0; sent < 3 && id != -1;) {
    std::ifstream about("/proc/self/task/" + std::to_string(id) + "/syscall");
    if (std::string word; about >> word && word != "running" && std::stol(word) != SYS_futex) send(id), ++sent;
    std::this_thread::sleep_for(1ms);
  }
  caller.join();
  EXPECT_EQ(result, 0) << what << ": " << std::strerror(error);
}

// The thread has called the system unannounced, as in a crowd without weir::calls, or by its own instruction.
TEST(Tick, EndsNoCallThatItFindsInTheSystem) {
  const weir::threads::message_sender installed;
  ASSERT_TRUE(installed);
  const auto by_tick = [](pid_t to) {
    siginfo_t why{};
    why.si_code = SI_QUEUE;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), to, SIGURG, &why);
  };
  // Out-of-band data, of which the system tells so: it interrupts no program that has no handler.
  const auto by_others = [](pid_t to) { syscall(SYS_tgkill, getpid(), to, SIGURG); };
  for (const auto send : {+by_tick, +by_others}) {
    ends_in_time("poll", send, [] { return poll(nullptr, 0, 40); });
    ends_in_time("ppoll", send, [] {
      const timespec time{0, 40'000'000};
      return ppoll(nullptr, 0, &time, nullptr);
    });
    ends_in_time("select", send, [] {
      timeval time{0, 40'000};
      return select(0, nullptr, nullptr, nullptr, &time);
    });
    ends_in_time("pselect", send, [] {
      const timespec time{0, 40'000'000};
      return pselect(0, nullptr, nullptr, nullptr, &time, nullptr);
    });
    ends_in_time("epoll_wait", send, [] {
      const int files = epoll_create1(0);
      epoll_event found;
      const int result = epoll_wait(files, &found, 1, 40);
      close(files);
      return result;
    });
    ends_in_time("nanosleep", send, [] {
      timespec time{0, 40'000'000};
      return nanosleep(&time, &time);
    });
    ends_in_time("sigtimedwait", send, [] {
      sigset_t none;
      sigemptyset(&none);
      const timespec time{0, 40'000'000};
      return sigtimedwait(&none, nullptr, &time) == -1 && errno == EAGAIN ? 0 : -1;
    });
  }
}

// The handler of the program has ended the call, and the program needs to know. Meanwhile it blocks the signal of messages.
TEST(Tick, LetsAHandlerOfTheProgramEndACall) {
  const weir::threads::message_sender installed;
  ASSERT_TRUE(installed);
  struct sigaction ends{}, before;
  ends.sa_handler = [](int) { syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGURG); };
  sigfillset(&ends.sa_mask);
  ASSERT_EQ(sigaction(SIGUSR1, &ends, &before), 0);
  std::atomic<pid_t> id{0};
  int result = 0, error = 0;
  std::thread caller([&] {
    id = static_cast<pid_t>(syscall(SYS_gettid));
    result = poll(nullptr, 0, 20'000);
    error = errno;
    id = -1;
  });
  while (id == 0) std::this_thread::yield();
  for (int sent = 0; sent < 20 && id != -1;) {
    std::ifstream about("/proc/self/task/" + std::to_string(id) + "/syscall");
    if (std::string word; about >> word && word != "running") pthread_kill(caller.native_handle(), SIGUSR1), ++sent;
    std::this_thread::sleep_for(1ms);
  }
  caller.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(result, -1);
  EXPECT_EQ(error, EINTR);
}
#endif

}  // namespace
