// Threads that keep to some processors by their masks, and those that are left alone.
#include "node/confinement.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <weir/machine/processors.hpp>

namespace weir::node {
namespace {

using kind = confinement::kind;
kind all_usual(pid_t) { return kind::usual; }

processor_set of(const std::vector<int>& numbers) { return *processor_set::of(numbers); }
processor_set own_mask() { return of(running_on()); }

/// A thread that waits, and does what it is told.
class idler {
 public:
  idler() : thread_([this] { run(); }) { id_ = ask<pid_t>([] { return gettid(); }); }
  ~idler() {
    do_next(nullptr);
    thread_.join();
  }
  idler(const idler&) = delete;
  pid_t id() const { return id_; }
  template <class Result>
  Result ask(std::function<Result()> what) {
    std::promise<Result> result;
    do_next([&] { result.set_value(what()); });
    return result.get_future().get();
  }
  processor_set mask() { return ask<processor_set>(own_mask); }
  void bind(const std::vector<int>& to) { ASSERT_EQ(ask<int>([&] { return run_on(to); }), 0); }

 private:
  void do_next(std::function<void()> what) {
    {
      const std::lock_guard lock(mutex_);
      next_ = std::move(what);
      has_next_ = true;
    }
    changed_.notify_one();
  }
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return has_next_; });
      has_next_ = false;
      const auto what = std::move(next_);
      if (!what) return;
      what();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> next_;
  bool has_next_ = false;
  pid_t id_ = 0;
  std::thread thread_;
};

class Confinement : public testing::Test {
 protected:
  void SetUp() override {
    if (running_on().size() < 2) GTEST_SKIP() << "only one processor";
    first_ = running_on()[0];
    second_ = running_on()[1];
  }
  void grant(const processor_set& to, confinement::kind_of of = all_usual) { grant(to, of, all_); }
  void grant(const processor_set& to, confinement::kind_of of, const processor_set& usable) {
    std::thread([&] {  // as the runtime's watch does
      its_.look(of, false);
      its_.keep_to(to, usable);
    }).join();
  }
  confinement its_;
  const processor_set all_ = own_mask();
  int first_ = 0, second_ = 0;
};

TEST_F(Confinement, ThreadsKeepToWhatIsGranted) {
  idler thread;
  grant(of({first_}));
  EXPECT_EQ(thread.mask(), of({first_}));
  grant(of({second_}));
  EXPECT_EQ(thread.mask(), of({second_}));
  grant(all_);
  EXPECT_EQ(thread.mask(), all_);
  grant(of({first_}));
  its_.end();
  EXPECT_EQ(thread.mask(), all_);
}

// What it starts would inherit its mask.
TEST_F(Confinement, TheFirstThreadIsMovedAndNotBound) {
  ASSERT_EQ(gettid(), getpid());
  for (const int processor : {first_, second_}) {
    grant(of({processor}));
    EXPECT_EQ(own_mask(), all_);
  }
}

TEST_F(Confinement, AMaskOfTheProgramStays) {
  idler before, later;
  before.bind({second_});
  grant(of({first_}));
  EXPECT_EQ(before.mask(), of({second_}));
  later.bind({second_});
  grant(all_);
  EXPECT_EQ(before.mask(), of({second_}));
  EXPECT_EQ(later.mask(), of({second_}));
}

TEST_F(Confinement, AThreadThatMovesForAWhileIsFoundAgain) {
  idler thread;
  grant(of({first_}));
  thread.bind({second_});
  grant(of({first_}));
  thread.bind({first_});  // as it found its mask
  grant(of({second_}));
  EXPECT_EQ(thread.mask(), of({second_}));
  thread.bind({first_});  // as it found it before
  grant(all_);
  EXPECT_EQ(thread.mask(), all_);
}

TEST_F(Confinement, AThreadOfAConfinedThreadIsConfinedToo) {
  idler thread;
  grant(of({first_}));
  std::unique_ptr<idler> another(thread.ask<idler*>([] { return new idler; }));
  EXPECT_EQ(another->mask(), of({first_}));
  grant(of({second_}));
  EXPECT_EQ(another->mask(), of({second_}));
  grant(all_);
  EXPECT_EQ(another->mask(), all_);
}

TEST_F(Confinement, AMaskThatTheSystemHasCutIsStillOurs) {
  idler thread;
  const int third = 4000;
  grant(of({first_, second_}), [](pid_t) { return kind::always; }, of({first_, second_, third}));
  thread.bind({first_});  // the second one goes away
  grant(of({second_}), all_usual, of({first_, third}));
  EXPECT_EQ(thread.mask(), of({second_}));
}

TEST_F(Confinement, KindsOfThreadsDiffer) {
  static pid_t never = 0, always = 0;
  idler left_alone, forced;
  never = left_alone.id();
  always = forced.id();
  forced.bind({second_});
  grant(of({first_}), [](pid_t id) { return id == never ? kind::never : id == always ? kind::always : kind::usual; });
  EXPECT_EQ(left_alone.mask(), all_);
  EXPECT_EQ(forced.mask(), of({first_}));
}

TEST_F(Confinement, TheChildOfAForkIsFree) {
  idler thread;
  grant(of({first_}));
  EXPECT_EQ(thread.ask<int>([&] {
    const pid_t child = fork();
    if (child == 0) {
      its_.free_child();
      _exit(own_mask() == all_ ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }), 0);
}

TEST_F(Confinement, AThreadThatStartsAProgramHasTheWholeMask) {
  idler thread;
  const auto tell = [&](bool begins) { thread.ask<int>([&] { return begins ? its_.begin_start() : its_.end_start(), 0; }); };
  grant(of({first_}));
  tell(true);
  EXPECT_EQ(thread.mask(), all_);
  grant(of({second_}));
  EXPECT_EQ(thread.mask(), all_) << "a look does not change it back";
  tell(false);
  grant(of({second_}));
  EXPECT_EQ(thread.mask(), of({second_}));
  thread.bind({first_});
  tell(true);
  EXPECT_EQ(thread.mask(), of({first_})) << "the program's own";
}

TEST_F(Confinement, TheChildOfAVforkIsFreeAndLeavesNothing) {
  idler thread;
  const auto start = [&] {
    return thread.ask<int>([&] {
      const pid_t child = vfork();
      if (child == 0) {
        its_.begin_start();
        _exit(own_mask() == all_ ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      return status;
    });
  };
  grant(of({first_}));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(start(), 0);
  EXPECT_EQ(thread.mask(), of({first_}));
  thread.ask<int>([&] { return its_.begin_start(), 0; });
  grant(of({second_}));
  EXPECT_EQ(thread.mask(), all_) << "there is room for this one";
}

TEST_F(Confinement, ThreadsThatComputeAreCounted) {
  idler sleeps, computes;
  const auto look = [&] {
    unsigned computing = 0;
    std::thread([&] { computing = its_.look(all_usual, true).computing; }).join();
    return computing;
  };
  look();
  computes.ask<int>([] {
    timespec used{};
    while (used.tv_sec == 0 && used.tv_nsec < 20'000'000) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return 0;
  });
  const unsigned found = look();
  EXPECT_GE(found, 1u);
  EXPECT_LE(found, 2u) << "that one, and perhaps the first thread";
}

// Each of the two goes on until both have computed for long enough, so one waits while the other does.
TEST_F(Confinement, WhatTheyWaitForProcessorsIsTold) {
  std::atomic<unsigned> ready{0}, looked{0};
  const auto compute = [&] {
    processor_set one = of({first_});
    sched_setaffinity(0, sizeof one.words, reinterpret_cast<const cpu_set_t*>(one.words.data()));
    for (unsigned rounds = 1; rounds <= 2; ++rounds) {
      timespec from{}, now{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
      bool is_ready = false;
      while (ready.load() < 2 * rounds) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        const bool enough = now.tv_sec * 1'000'000'000 + now.tv_nsec - from.tv_sec * 1'000'000'000 - from.tv_nsec > 50'000'000;
        if (enough && !std::exchange(is_ready, true)) ++ready;
      }
      while (looked.load() < rounds) usleep(1000);
    }
  };
  const auto look = [&] {
    confinement::activity seen;
    std::thread([&] { seen = its_.look(all_usual, true); }).join();
    return seen;
  };
  std::thread a(compute), b(compute);
  const auto look_after = [&](unsigned rounds) {
    while (ready.load() < 2 * rounds) usleep(1000);
    const auto seen = look();
    looked.store(rounds);
    return seen;
  };
  look();
  look_after(1);
  const auto seen = look_after(2);
  EXPECT_GE(seen.computing, 2u);
  EXPECT_GE(seen.delayed, 20'000'000u);
  a.join();
  b.join();
}

}  // namespace
}  // namespace weir::node
