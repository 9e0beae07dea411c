// A processor without work takes members from one that does not come to them, as a stand-in does from one that is blocked.
// Whether they do depends on who runs when, so each is tried until it is seen.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "members.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/stealing.hpp"
#include "threads/threads.hpp"

namespace {

constexpr int tries = 300;

/// True: a try has seen it.
template <class Try>
bool is_seen(Try once) {
  for (int i = 0; i < tries; ++i)
    if (once()) return true;
  return false;
}

void computes(std::atomic<double>& sum) {
  double harmonic = 0;
  for (int i = 1; i < 2'000'000; ++i) harmonic += 1.0 / i;
  sum = harmonic;
}

// Member 0 keeps the caller's processor until member 2, which waits for it, has run.
TEST(Stealing, AMemberRunsOnAnotherProcessorIfItsOwnDoesNotComeToIt) {
  const long caller = kernel_thread();
  EXPECT_TRUE(is_seen([&] {
    std::atomic<long> ran_on{0};
    weir::crowd c(3, [&](unsigned m) {
      if (m == 2) ran_on = kernel_thread();
      while (ran_on == 0)
        if (m == 1) weir::this_member::yield();
    }, {.processors = 2});
    c.join();
    return ran_on != caller;
  }));
}

// In the idle context the thread's errno is that of a body which may run elsewhere, and set it there at the same time.
TEST(Stealing, AThreadThatLooksForBodiesLeavesErrnoToTheBodyThatHasIt) {
  std::atomic<int*> errno_of_thief{nullptr};
  std::atomic<bool> stop{false};
  std::thread looks([&] {
    const weir::threads::driving outer;
    weir::threads::processor& processor_here = weir::threads::here();
    for (errno_of_thief = &errno; !stop;) weir::threads::steal_for(processor_here);
  });
  while (errno_of_thief == nullptr) std::this_thread::yield();
  const std::atomic_ref elsewhere(*errno_of_thief.load());
  int lost = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  for (int now = 1; std::chrono::steady_clock::now() < end; ++now) {
    elsewhere.store(now);
    for (int i = 0; i < 100; ++i) lost += elsewhere.load() != now ? 1 : 0;
  }
  stop = true;
  looks.join();
  EXPECT_EQ(lost, 0);
}

TEST(Stealing, AMemberReturnsToItsSeatWhereItWaits) {
  const long caller = kernel_thread();
  EXPECT_TRUE(is_seen([&] {
    std::atomic<long> ran_on{0}, then_on{0};
    weir::crowd c(3, [&](unsigned m) {
      if (m == 2) {
        ran_on = kernel_thread();
        yields(1);
        then_on = kernel_thread();
      }
      while (m == 0 ? ran_on == 0 : then_on == 0)
        if (m == 1) weir::this_member::yield();
    }, {.processors = 2});
    c.join();
    return ran_on != caller && then_on == caller;
  }));
}

// The caller ends driving while its queue holds what it has stolen: nobody would run it there.
struct end_of_driving {
  std::atomic<bool> keeps{false}, has_stolen{false}, gave_up{false}, goes_on{false}, stop{false};
  std::atomic<int> ended{0};

  static void yield() {
    const weir::threads::without_preemption to_the_end;
    weir::threads::here().yield(*weir::threads::this_body);
  }
  /// Keeps its processor, which no tick takes from it.
  void keep() {
    weir::threads::this_body->begin_call();
    for (keeps = true; !stop;) weir::native::pause();
    weir::threads::this_body->end_call();
    ++ended;
  }
  void steal() {
    {
      const weir::threads::without_preemption to_the_end;
      bool some = false;
      for (int i = 0; i < 100'000 && !some; ++i) some = weir::threads::steal_for(weir::threads::here());
      (some ? has_stolen : gave_up) = true;
    }
    while (!goes_on) yield();
    ++ended;
  }
  template <void (end_of_driving::*What)()>
  void start(weir::threads::processor& on) {
    const auto run = [](void* given) { (static_cast<end_of_driving*>(given)->*What)(); };
    ASSERT_EQ(weir::threads::start(run, this, &on, 0), 0);
  }
  void end() { ++ended; }

  /// True: something was stolen when driving ended.
  bool once() {
    weir::threads::here();  // this thread uses processors from now on
    weir::threads::processor* const helper = weir::threads::helper(0);
    {
      const weir::threads::driving here;
      start<&end_of_driving::keep>(*helper);
      while (!keeps) yield();
      start<&end_of_driving::end>(*helper);
      while (!helper->has_ready() && ended == 0) weir::native::pause();
      start<&end_of_driving::steal>(weir::threads::here());
      while (!has_stolen && !gave_up) yield();
    }
    stop = true;
    const bool all_end = eventually([this] { return ended == 2; });
    EXPECT_TRUE(all_end);
    goes_on = true;
    const weir::threads::driving again;
    while (ended != 3) weir::this_member::yield();
    return has_stolen;
  }
};
TEST(Stealing, WhatIsStolenReturnsAtTheEndOfDriving) {
  EXPECT_TRUE(is_seen([] { return end_of_driving().once(); }));
}

/// Members of program threads on helpers, of which the program may use `usable` now.
class program_members {
 public:
  explicit program_members(unsigned usable) {
    weir::threads::processors_for_all = 2;
    weir::threads::let_members_have(usable);
    for (unsigned i = 0; i < 2; ++i)
      if (weir::threads::processor* const each = weir::threads::helper(i)) {
        EXPECT_TRUE(eventually([each] { return each->sleeps(); }));
      }
  }
  ~program_members() {
    stop = true;
    EXPECT_TRUE(eventually([this] { return ended == begun; }));
    weir::threads::processors_for_all = 0;
    weir::threads::let_members_have(0);
  }
  /// It waits, or it computes, on this helper at first.
  void begin(unsigned helper, bool waits) {
    ++begun;
    waiting[begun - 1] = {this, waits};
    ASSERT_EQ(weir::threads::start(run, &waiting[begun - 1], weir::threads::helper(helper), 0), 0);
  }

  const weir::threads::driving processors_are_used{};
  std::atomic<bool> stop{false};
  std::atomic<unsigned> running{0}, ended{0};
  std::atomic<const weir::threads::processor*> latest{nullptr};  // that the member that waits was on

 private:
  struct member {
    program_members* of;
    bool waits;
  };
  static void run(void* what) {
    auto& [of, waits] = *static_cast<member*>(what);
    weir::threads::this_body->is_adopted = true;
    ++of->running;
    while (!of->stop) {
      if (!waits) continue;
      of->latest = weir::threads::this_body->where();
      weir::this_member::yield();
    }
    weir::threads::this_body->is_adopted = false;
    ++of->ended;
  }
  unsigned begun = 0;
  member waiting[4];
};

TEST(Stealing, AThreadOfTheProgramThatWaitsLeavesAHelperThatItMayNotUseAnyMore) {
  program_members members(2);
  members.begin(1, true);
  EXPECT_TRUE(eventually([&] { return members.latest == weir::threads::helper(1); }));
  weir::threads::let_members_have(1);
  EXPECT_TRUE(eventually([&] { return members.latest == weir::threads::helper(0); }));
}

// One that computes keeps the only helper that they may use.
TEST(Stealing, AHelperThatTheProgramMayNotUseTakesNoThreadOfIt) {
  program_members members(1);
  members.begin(0, true);
  EXPECT_TRUE(eventually([&] { return members.running == 1; }));
  members.begin(0, false);
  for (int i = 0; i < 200; ++i) {
    weir::threads::wake_up(*weir::threads::helper(1));
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    ASSERT_NE(members.latest, weir::threads::helper(1));
  }
}

// Each is in exactly one list, whoever takes it: none runs twice, or never.
TEST(Stealing, NoMemberIsLostWhileProcessorsTakeThemFromEachOther) {
  constexpr unsigned members = 12;
  for (int round = 0; round < 50; ++round) {
    std::atomic<unsigned> ended{0};
    std::atomic<int> twice{0};
    std::atomic<double> sum{0};
    weir::crowd c(members, [&](unsigned m) {
      std::atomic<int> inside{0};
      for (unsigned i = 0; i < 60; ++i) {
        if (++inside != 1) ++twice;
        double harmonic = 0;
        for (unsigned k = 1; k < (m % 2 == 0 ? 6000u : 30u); ++k) harmonic += 1.0 / k;
        sum = harmonic;
        --inside;
        yields(1 + m % 3);
      }
      ++ended;
    }, {.processors = 2});
    c.join();
    ASSERT_EQ(ended, members);
    ASSERT_EQ(twice, 0);
  }
}

// The writer writes when all others of the processor have ended.
TEST(Blocked, AMemberThatReadsDoesNotKeepTheOthersFromComputing) {
  for (const unsigned processors : {1u, 2u}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    constexpr unsigned members = 6;
    std::atomic<unsigned> ended{0};
    std::atomic<double> sum{0};
    char got = 0;
    weir::crowd c(members, [&](unsigned m) {
      if (m == 0) {
        EXPECT_EQ(read(ends[0], &got, 1), 1);
        EXPECT_EQ(ended, members - 1);
        return;
      }
      computes(sum);
      const char byte = 'w';
      if (++ended == members - 1) {
        EXPECT_EQ(write(ends[1], &byte, 1), 1);
      }
    }, {.processors = processors});
    c.join();
    EXPECT_EQ(got, 'w');
    close(ends[0]);
    close(ends[1]);
  }
}

// Each begins and waits at once, while the timer may look: it goes on to do so.
TEST(Blocked, MembersThatWaitForAMutexDoNotKeepItsHolderFromRunning) {
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(entries_of_five_by_a_mutex({.processors = 1}), 25);
  }
}

// A stand-in runs the others meanwhile; the member returns to its seat when it waits.
TEST(Blocked, AMemberThatReadsKeepsItsKernelThread) {
  const long caller = kernel_thread();
  EXPECT_TRUE(is_seen([&] {
    int ends[2];
    if (pipe(ends) != 0) return false;
    std::mutex guard;
    std::set<long> others;
    std::atomic<unsigned> ended{0};
    std::atomic<double> sum{0};
    long before_read = 0, after_read = 0, after_wait = 0;
    weir::crowd c(4, [&](unsigned m) {
      if (m == 0) {
        char got;
        before_read = kernel_thread();
        EXPECT_EQ(read(ends[0], &got, 1), 1);
        after_read = kernel_thread();
        yields(1);
        after_wait = kernel_thread();
        return;
      }
      computes(sum);
      const std::lock_guard lock(guard);
      others.insert(kernel_thread());
      if (++ended == 3) {
        EXPECT_EQ(write(ends[1], "w", 1), 1);
      }
    }, {.processors = 1});
    c.join();
    close(ends[0]);
    close(ends[1]);
    EXPECT_EQ(after_read, before_read);
    return !others.contains(before_read) && after_wait == caller;
  }));
}

}  // namespace
