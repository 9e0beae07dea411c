// Signals, and how a member ends. Handlers run in the name of the member that they interrupt; masks and alternate stacks are
// those of the virtual processor.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>

#include "members.hpp"

namespace {

thread_local int number_here = -1;
constinit std::atomic<int> handled_by{-1};
constinit std::array<std::atomic<int>, 8> samples{};

/// In its lifetime the program handles the signal so.
class handling {
 public:
  handling(int number, void (*handler)(int), int flags = SA_RESTART) : number_(number) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, &before_);
  }
  handling(const handling&) = delete;
  ~handling() { sigaction(number_, &before_, nullptr); }

 private:
  const int number_;
  struct sigaction before_;
};

void note_member(int) { handled_by = number_here; }

TEST(Signals, AMembersOwnIsHandledInItsName) {
  const handling usr1(SIGUSR1, note_member);
  std::atomic<int> wrong{0};
  weir::crowd c(5, [&](unsigned m) {
    number_here = static_cast<int>(m);
    for (int i = 0; i < 20; ++i, yields(1)) {
      (i % 2 == 0) ? raise(SIGUSR1) : pthread_kill(pthread_self(), SIGUSR1);
      if (handled_by.exchange(-1) != number_here) ++wrong;
    }
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Signals, OneForAnotherMemberWaitsUntilThatHasEnded) {
  const handling usr1(SIGUSR1, note_member);
  handled_by = -1;
  std::atomic<bool> known{false}, sent{false};
  std::atomic<int> early{0};
  pthread_t second{};
  weir::crowd c(2, [&](unsigned m) {
    number_here = static_cast<int>(m);
    if (m == 0) {
      while (!known) yields(1);
      EXPECT_EQ(pthread_kill(second, SIGUSR1), 0);
      sent = true;
    } else {
      second = pthread_self();
      for (known = true; !sent;) yields(1);
      for (int i = 0; i < 100; ++i, yields(1)) early += handled_by != -1;
    }
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(early, 0);
  EXPECT_TRUE(eventually([] { return handled_by == 1; }));
}

// A profiler's: it goes to whichever thread runs.
TEST(Signals, SigprofFindsTheMemberThatRuns) {
  const handling prof(SIGPROF, [](int) {
    const int before = errno;
    if (number_here >= 0) ++samples[static_cast<std::size_t>(number_here)];
    errno = before;
  });
  for (auto& s : samples) s = 0;
  const itimerval often{{0, 2000}, {0, 2000}}, never{};
  setitimer(ITIMER_PROF, &often, nullptr);
  weir::crowd c(4, [&](unsigned m) {
    number_here = static_cast<int>(m);
    while (samples[m] < 3) {
    }
  }, {.processors = 2});
  c.join();
  setitimer(ITIMER_PROF, &never, nullptr);
  for (unsigned m = 0; m < 4; ++m) EXPECT_GE(samples[m], 3);
}

// A program's own timer, for the thread that makes it: it stays with the virtual processor.
TEST(Signals, ATimerOfAThreadGoesToItsVirtualProcessor) {
  static constinit std::atomic<long> thread{0};
  const handling alarm(SIGALRM, [](int) { thread = kernel_thread(); });
  thread = 0;
  long makers = 0;
  weir::crowd c(2, [&](unsigned m) {
    if (m != 0) return yields(10);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    makers = kernel_thread();
    event._sigev_un._tid = static_cast<pid_t>(makers);
    timer_t timer;
    EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    const itimerspec soon{{}, {0, 1'000'000}};
    EXPECT_EQ(timer_settime(timer, 0, &soon, nullptr), 0);
    while (thread == 0) yields(1);
    timer_delete(timer);
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(thread, makers);
}

// What does not hold: masks and alternate stacks are the virtual processor's, which members share.
TEST(Signals, AMaskIsTheVirtualProcessors) {
  sigset_t usr2, before;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  std::atomic<int> step{0}, seen{0};
  weir::crowd c(2, [&](unsigned m) {
    if (m == 0) {
      pthread_sigmask(SIG_BLOCK, &usr2, nullptr);
      for (step = 1; step == 1;) yields(1);
    } else {
      while (step == 0) yields(1);
      sigset_t now;
      pthread_sigmask(SIG_SETMASK, nullptr, &now);
      seen = sigismember(&now, SIGUSR2);
      step = 2;
    }
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(seen, 1);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(sigismember(&after, SIGUSR2), 1) << "the owner's thread has driven the member";
}

TEST(Signals, AnAlternateStackIsTheVirtualProcessors) {
  std::vector<std::byte> memory(65536);
  std::atomic<int> step{0};
  stack_t seen{}, before{};
  sigaltstack(nullptr, &before);
  weir::crowd c(2, [&](unsigned m) {
    if (m == 0) {
      const stack_t alternate{memory.data(), 0, memory.size()};
      EXPECT_EQ(sigaltstack(&alternate, nullptr), 0);
      for (step = 1; step == 1;) yields(1);
    } else {
      while (step == 0) yields(1);
      sigaltstack(nullptr, &seen);
      step = 2;
    }
  }, {.processors = 1});
  c.join();
  sigaltstack(&before, nullptr);
  EXPECT_EQ(seen.ss_sp, memory.data());
}

// ---- how a member ends

TEST(Ends, PthreadExitEndsAMember) {
  static constinit std::atomic<int> unwound{0}, of_the_thread{0};
  struct counted {
    std::atomic<int>& in;
    ~counted() { ++in; }
  };
  unwound = of_the_thread = 0;
  std::atomic<int> ended_otherwise{0};
  weir::crowd c(6, [&](unsigned m) {
    thread_local counted at_end{of_the_thread};
    (void)&at_end;
    const counted here{unwound};
    yields(3);
    if (m % 2 == 0) pthread_exit(nullptr);
    yields(3);
    ++ended_otherwise;
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(unwound, 6);
  EXPECT_EQ(ended_otherwise, 3);
  EXPECT_TRUE(eventually([] { return of_the_thread == 6; }));
}

// A member's kernel thread sleeps while its body runs: nothing may end it.
TEST(Ends, AMemberIsNotCancelled) {
  std::vector<pthread_t> members(4);
  std::atomic<unsigned> known{0}, cancelled{0}, through{0};
  weir::crowd c(4, [&](unsigned m) {
    members[m] = pthread_self();
    for (++known; known < 4;) yields(1);
    EXPECT_EQ(pthread_cancel(members[(m + 1) % 4]), 0);
    for (++cancelled; cancelled < 4;) yields(1);
    pthread_testcancel();
    const timespec shortly{0, 1000};
    nanosleep(&shortly, nullptr);  // a cancellation point
    ++through;
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(through, 4u);
}

TEST(Ends, ThreadLocalVariablesAreDestroyedByTheMembersOwnKernelThread) {
  static constinit std::atomic<int> destroyed{0}, elsewhere{0};
  destroyed = elsewhere = 0;
  struct variable {
    unsigned member = 0;
    pthread_t thread{};
    long driver = 0;
    ~variable() {
      if (!pthread_equal(thread, pthread_self()) || driver == kernel_thread()) ++elsewhere;
      yields(2);  // as in any thread
      ++destroyed;
    }
  };
  weir::crowd c(5, [&](unsigned m) {
    thread_local variable watched;
    watched.member = m;
    watched.thread = pthread_self();
    watched.driver = kernel_thread();
    yields(5);
  }, {.processors = 1});
  c.join();
  EXPECT_TRUE(eventually([] { return destroyed == 5; }));
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
