// A body blocks in the system while none is ready on its processor: whoever becomes ready there later asks for a stand-in.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "members.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/processor.hpp"

namespace {

using namespace weir::threads;

/// Is the kernel thread in read()?
bool reads(long thread) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/syscall");
  long call = -1;
  return in >> call && call == SYS_read;
}

/// While the monitor does not look by itself, nobody else would find a stand-in.
class without_monitor {
 public:
  without_monitor() {
    const claimant c;
    stop_monitor();
  }
  without_monitor(const without_monitor&) = delete;
  ~without_monitor() { start_monitor(); }
};

/// In its lifetime other crowds of the calling thread sit on helpers: in the thread's own kernel thread no member blocks.
struct on_helpers {
  weir::crowd of_own_processor{1, [](unsigned) {}, {.processors = 1}};
};

TEST(BlockingCall, ABodyThatBecomesReadyMeanwhileAsksForAStandIn) {
  const on_helpers meanwhile;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  sem_t woken;
  sem_init(&woken, 0, 0);
  std::atomic<processor*> at{nullptr};
  std::atomic<long> reader{0};
  std::atomic<bool> has_read{false};
  weir::crowd members(2, [&](unsigned m) {
    char byte = 'b';
    if (m == 0) {
      while (this_body->where()->has_ready()) yields(1);  // until the other one sleeps
      reader = kernel_thread();
      at = this_body->where();
      EXPECT_EQ(read(ends[0], &byte, 1), 1);
      EXPECT_FALSE(at.load()->wants_stand_in());
      has_read = true;
    } else {
      while (sem_wait(&woken) != 0) {}
      EXPECT_EQ(write(ends[1], &byte, 1), 1);
    }
  }, {.processors = 1});
  std::thread watches([&] {
    EXPECT_TRUE(eventually([&] { return at != nullptr && reads(reader); }));
    const without_monitor nobody_looks;
    sem_post(&woken);
    // On a busy machine it may have one already, or the other member may be in its own kernel thread.
    EXPECT_TRUE(eventually([&] { return at.load()->wants_stand_in() || at.load()->is_stood_in_for() || has_read; }));
  });
  members.join();
  watches.join();
  sem_destroy(&woken);
  for (const int end : ends) close(end);
}

// A stand-in that blocks, too, hands off what it has for the seat: nobody stands in for the stand-in itself.
TEST(BlockingCall, AStandInThatBlocksAsksOnce) {
  const on_helpers meanwhile;
  int ends[2][2];
  for (auto& each : ends) ASSERT_EQ(pipe(each), 0);
  sem_t woken, done;
  for (sem_t* const each : {&woken, &done}) sem_init(each, 0, 0);
  std::atomic<processor*> at{nullptr};
  std::atomic<long> reader{0};
  std::atomic<bool> has_run{false};
  weir::crowd members(3, [&](unsigned m) {
    char byte = 'b';
    if (m < 2) {
      // Where the stand-in is made late, the member goes on in its own kernel thread for a while.
      const auto is_alone_on_stand_in = [] {
        return this_body != nullptr && this_body->where() != this_body->home() && !this_body->where()->has_ready();
      };
      while (m == 1 && !is_alone_on_stand_in()) yields(1);
      if (m == 1) {
        at = this_body->where();
        reader = kernel_thread();
      }
      EXPECT_EQ(read(ends[m][0], &byte, 1), 1);
    } else {
      while (sem_wait(&woken) != 0) {}
      has_run = true;
      while (sem_wait(&done) != 0) {}
      for (const auto& each : ends) EXPECT_EQ(write(each[1], &byte, 1), 1);
    }
  }, {.processors = 1});
  std::thread watches([&] {
    EXPECT_TRUE(eventually([&] { return at != nullptr && reads(reader); }));
    sem_post(&woken);
    EXPECT_TRUE(eventually([&] { return has_run.load(); }));
    EXPECT_TRUE(eventually([&] { return !at.load()->wants_stand_in(); }));
    EXPECT_TRUE(reads(reader));
    sem_post(&done);
  });
  members.join();
  watches.join();
  for (sem_t* const each : {&woken, &done}) sem_destroy(each);
  for (const auto& each : ends)
    for (const int end : each) close(end);
}

#if !defined(__SANITIZE_ADDRESS__)  // its sigaction() comes before Weir's, which knows of handlers
constinit std::atomic<int> handled{0};

// It has been detached because there was no stand-in: it goes back to its seat when it next waits, but not from a handler.
TEST(BlockingCall, WhoIsDetachedKeepsTheKernelThreadInAHandler) {
  struct sigaction how {};
  how.sa_handler = [](int) {
    const long before = kernel_thread();
    yields(3);
    handled += kernel_thread() == before ? 1 : 0;
  };
  ASSERT_EQ(sigaction(SIGUSR1, &how, nullptr), 0);
  std::atomic<processor*> at{nullptr};
  std::atomic<bool> is_detached{false};
  weir::crowd members(2, [&](unsigned m) {
    if (m == 0) {
      for (; this_body != nullptr; yields(1)) at = this_body->where();
      is_detached = true;
      for (int i = 0; i < 2; ++i) EXPECT_EQ(raise(SIGUSR1), 0);
      sigset_t blocked;
      EXPECT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &blocked), 0);
      EXPECT_EQ(sigismember(&blocked, SIGUSR1), 0);
    } else {
      // Shorter than the time slice after which the other one would go to a stand-in.
      for (int i = 1; !is_detached; ++i)
        if (i % 100'000 == 0) yields(1);
    }
  }, {.processors = 1});
  std::thread watches([&] {
    // As the monitor does. A claim is in vain where the body that runs is held just then.
    EXPECT_TRUE(eventually([&] {
      const claimant c;
      if (processor* const driven = at; driven != nullptr && driven->claim(driven->switches())) {
        driven->detach_all();
        driven->unclaim();
      }
      return is_detached.load();
    }));
  });
  members.join();
  watches.join();
  EXPECT_EQ(handled, 2);
  signal(SIGUSR1, SIG_DFL);
}
#endif

// It has no ready bodies that the monitor would see waiting, and keeps the processor from the one for whom it waits.
TEST(BlockingCall, WhoSpinsOnAStandInGoesHomeWhenTheCallHasReturned) {
  const on_helpers meanwhile;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<body*> spins{nullptr};
  std::atomic<bool> done{false};
  weir::crowd members(2, [&](unsigned m) {
    char byte = 'b';
    if (m == 0) {
      EXPECT_EQ(read(ends[0], &byte, 1), 1);
      yields(1);  // the seat is its own again
      EXPECT_TRUE(eventually([&] {
        yields(1);
        return spins.load()->where() == spins.load()->home();
      }));
      done = true;
    } else {
      while (this_body->where() == this_body->home() || this_body->where() == nullptr) yields(1);
      spins = this_body;
      EXPECT_EQ(write(ends[1], &byte, 1), 1);
      while (!done.load(std::memory_order_relaxed)) continue;
    }
  }, {.processors = 1});
  members.join();
  for (const int end : ends) close(end);
}

}  // namespace
