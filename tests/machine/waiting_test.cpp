// Sleeping and waking, and the processor time that waiting takes. (Benchmarks measure the elapsed time.)
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <thread>
#include <weir/barrier.hpp>
#include <weir/machine/processors.hpp>
#include <weir/team_barrier.hpp>
#include <weir/waiting_automatic.hpp>

#include "../contract.hpp"
#include "../retries.hpp"

namespace {

// Two threads sleep in turn until the other signals their word: the test hangs after one lost wake-up.
TEST(Gate, LosesNoWakeUp) {
  struct side {
    std::atomic<unsigned> word{0};
    weir::gate gate;
  } ping, pong;
  const auto await = [](side& s, unsigned value) {
    while (s.word.load(std::memory_order_acquire) != value)
      s.gate.sleep_unless([&] { return s.word.load(std::memory_order_acquire) == value; });
  };
  const auto signal = [](side& s, unsigned value) {
    s.word.store(value, std::memory_order_release);
    s.gate.open();
  };
  const unsigned rounds = contract::sanitized ? 5'000 : 50'000;
  std::thread other([&] {
    for (unsigned i = 1; i <= rounds; ++i) {
      await(ping, i);
      signal(pong, i);
    }
  });
  for (unsigned i = 1; i <= rounds; ++i) {
    signal(ping, i);
    await(pong, i);
  }
  other.join();
  SUCCEED();
}

// A sleeper has checked its word, which was not set. Before it sleeps, its gate is opened and another
// announces itself. The first sleeper must notice the opening, because no other will follow for it.
TEST(Gate, IsNotSleptAtThroughAnOpening) {
  std::atomic<unsigned> first{0}, other{0};
  weir::gate gate;
  std::thread next;
  bool first_look = true;
  const auto ready = [&] {
    if (!first_look) return first.load() != 0;
    first_look = false;
    first.store(1);
    gate.open();
    next = std::thread([&] {
      while (other.load() == 0) gate.sleep_unless([&] { return other.load() != 0; });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until the other thread sleeps
    return false;  // the value from before the opening
  };
  while (first.load() == 0 || first_look) gate.sleep_unless(ready);
  other.store(1);
  gate.open();
  next.join();
  SUCCEED();
}

TEST(Gate, WakesAllWhoSleep) {
  std::atomic<unsigned> word{0};
  weir::gate gate;
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 8; ++i)
    sleepers.emplace_back([&] {
      while (word.load() == 0) gate.sleep_unless([&] { return word.load() != 0; });
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  word.store(1);
  gate.open();
  for (auto& s : sleepers) s.join();
  SUCCEED();
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// One member arrives late: the others should sleep by then, not poll.
template <class Pass>
double time_beside_a_late_member(unsigned members, Pass pass) {
  const double before = cpu_seconds();
  std::vector<std::thread> team;
  for (unsigned m = 0; m < members; ++m)
    team.emplace_back([&, m] {
      if (m == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      pass(m);
    });
  for (auto& t : team) t.join();
  return cpu_seconds() - before;
}

template <class Pass>
void sleep_beside_a_late_member(const std::string& what, Pass pass) {
  constexpr double little = 0.05;
  double last = 0;
  const auto takes_little = [&] { return (last = time_beside_a_late_member(4, pass)) < little; };
  EXPECT_TRUE(retries::holds("waiting: stolen time", 10, takes_little)) << what << " takes " << last << " s";
}

TEST(Waiting, SleepsWhereAMemberIsLate) {
  for (const char* waiting : {"auto", "block"})
    for (const auto& a : weir::algorithms()) {
      weir::team_barrier b(4, {.algorithm = a.name, .waiting = waiting});
      sleep_beside_a_late_member(std::string(a.name) + "/" + waiting, [&](unsigned m) { b.arrive_and_wait(m); });
    }
  weir::barrier<> b(4);
  sleep_beside_a_late_member("barrier", [&](unsigned) { b.arrive_and_wait(); });
}

TEST(Waiting, SpinningIsWhatItSays) {
  weir::team_barrier b(2, {.algorithm = "sense", .waiting = "spin"});
  constexpr double much = 0.05;
  const double before = cpu_seconds();
  std::thread spins([&] { b.arrive_and_wait(1); });
  // Other programs may have the processors meanwhile. The looks of a minute together take a tenth of it.
  while (cpu_seconds() - before < much) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  b.arrive_and_wait(0);
  spins.join();
}

/// Counts yields and polls; the word is never ready, and time passes with each yield.
struct counted : weir::native {
  static inline unsigned yields, polls;
  static inline bool too_many;
  template <class Word, class Ready>
  static bool spin(const Word&, Ready, unsigned times) {
    polls += times;
    now += times;
    return false;
  }
  static void yield() {
    ++yields;
    now += 1000;
  }
  static bool crowded() { return too_many; }
  static inline bool in_user_space;
  static bool switches_in_user_space() { return in_user_space; }
  template <class Word, class Ready>
  static bool switch_until(const Word&, Ready, unsigned) {
    return false;
  }
  static inline bool dear;
  static bool yields_cost_slices(std::uint64_t) { return dear; }
  static inline std::uint64_t now;
  static std::uint64_t ticks() { return now; }
  static double ticks_per_microsecond() { return 1000; }
};

TEST(Waiting, LetsOthersRunAtOnceWhereAllTeamsTogetherAreTooLarge) {
  using constants = weir::waiting::automatic_constants;
  const auto polls_in_a_wait = [](bool too_many) {
    counted::too_many = too_many;
    counted::polls = 0;
    weir::waiting::experience<counted> learned;
    std::atomic<unsigned> word{0};
    EXPECT_FALSE(learned.poll(/*oversubscribed=*/false, word, [](unsigned) { return false; }));
    return counted::polls;
  };
  EXPECT_EQ(polls_in_a_wait(true), constants::polls_before_clock);
  EXPECT_GT(polls_in_a_wait(false), 100 * constants::polls_before_clock);
  // Members of a processor switch without a system call: each poll keeps the one that it waits for from arriving.
  counted::in_user_space = true;
  EXPECT_EQ(polls_in_a_wait(true), 1u);
  counted::in_user_space = false;
}

TEST(Waiting, MembersThatHaveMovedToOneProcessorDoNotPollForEachOther) {
  const auto polls_at_a_barrier = [](bool moved) {
    counted::too_many = counted::in_user_space = moved;
    counted::polls = 0;
    weir::team two;
    two.members = 2;
    two.processors = 2;
    two.usable = 2;
    weir::waiting::automatic<counted> waiting(two);
    counted::gate gate;
    std::atomic<unsigned> word{0};
    unsigned looks = 0;
    waiting.await(0, word, gate, [&looks](unsigned) { return ++looks > 3; });
    counted::too_many = counted::in_user_space = false;
    return counted::polls;
  };
  EXPECT_LE(polls_at_a_barrier(true), 3u);
  EXPECT_GE(polls_at_a_barrier(false), weir::waiting::automatic_constants::polls_before_clock);
}

TEST(Waiting, DoesNotYieldWhereYieldsCostSlices) {
  const auto yields_in_a_wait = [](bool oversubscribed, bool dear) {
    counted::too_many = false;
    counted::dear = dear;
    counted::yields = 0;
    weir::waiting::experience<counted> learned;
    std::atomic<unsigned> word{0};
    EXPECT_FALSE(learned.poll(oversubscribed, word, [](unsigned) { return false; }));
    return counted::yields;
  };
  for (const bool oversubscribed : {false, true}) {
    EXPECT_EQ(yields_in_a_wait(oversubscribed, true), 0u);
    EXPECT_GT(yields_in_a_wait(oversubscribed, false), 0u);
  }
  counted::dear = false;
}

/// Sleeps end by an opening, and the sleeper runs again a while later.
struct that_sleeps : counted {
  static inline std::uint64_t wake_up_takes;
  struct gate {
    std::atomic<unsigned>& word;
    std::uint64_t opened = 0;
    template <class Ready>
    void sleep_unless(Ready) {
      word = 1;
      opened = now += 1000;
      now += wake_up_takes;
    }
    std::uint64_t opened_at() const { return opened; }
  };
};

TEST(Waiting, SpinsOnlyForAMomentBesideLoadWhereWokenMembersWaitForProcessors) {
  using constants = weir::waiting::automatic_constants;
  weir::waiting::experience<that_sleeps> usual, under_quota(0);
  const auto microseconds_before_a_sleep = [&](double wake_up_us, weir::waiting::experience<that_sleeps>& learned) {
    that_sleeps::wake_up_takes = static_cast<std::uint64_t>(wake_up_us * that_sleeps::ticks_per_microsecond());
    std::atomic<unsigned> word{0};
    that_sleeps::gate gate{word};
    const std::uint64_t from = that_sleeps::now;
    learned.await(/*oversubscribed=*/false, word, gate, [](unsigned value) { return value != 0; });
    return static_cast<double>(gate.opened - from) / that_sleeps::ticks_per_microsecond() - 1;
  };
  counted::too_many = false;
  counted::dear = true;
  // A team in step would sleep for ever if it did not wait for a member that is being woken.
  for (auto* const team : {&usual, &under_quota})
    for (int i = 0; i < 50; ++i) EXPECT_GE(microseconds_before_a_sleep(60, *team), 2 * constants::first_wake_up);
  const double patient = microseconds_before_a_sleep(constants::long_yield + 1, usual);
  EXPECT_NEAR(patient, 2 * 60, 1);
  // What wake-ups take meanwhile is not learned either.
  for (int i = 0; i < 50; ++i) EXPECT_LE(microseconds_before_a_sleep(300, usual), 2 * constants::contended_spin);
  that_sleeps::now += static_cast<std::uint64_t>(constants::longest_back_off * that_sleeps::ticks_per_microsecond());
  EXPECT_NEAR(microseconds_before_a_sleep(60, usual), patient, 1);
  // There it may have been throttled, and each microsecond awake counts: the price of a wake-up is learned on.
  microseconds_before_a_sleep(constants::long_yield + 1, under_quota);
  EXPECT_NEAR(microseconds_before_a_sleep(60, under_quota), patient, 1);
  for (int i = 0; i < 50; ++i) microseconds_before_a_sleep(20, under_quota);
  EXPECT_NEAR(microseconds_before_a_sleep(20, under_quota), 2 * 20, 1);
  counted::dear = false;
}

template <class Look>
bool comes_to_live_on(int processor, Look look) {
  return retries::holds("waiting: migrated", 1000, [&] {
    look();
    return sched_getcpu() == processor;
  });
}

TEST(Settling, GoesBackToItsProcessorAndMayRunOnAll) {
  const std::vector<int>& processors = weir::affinity();
  if (processors.size() < 2) GTEST_SKIP() << "only one processor";
  std::thread([&] {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    for (const int home : {processors[0], processors[1]})
      EXPECT_TRUE(comes_to_live_on(home, [&] {
        weir::native::live_on(-1);
        weir::native::live_on(home);
        weir::native::migrate_home(weir::native::ticks());
      }));
    std::uint64_t later = weir::native::ticks();
    EXPECT_TRUE(comes_to_live_on(processors[1], [&] {
      cpu_set_t away;
      CPU_ZERO(&away);
      CPU_SET(processors[0], &away);
      sched_setaffinity(0, sizeof away, &away);
      sched_setaffinity(0, sizeof before, &before);
      weir::native::migrate_home(later += 1'000'000'000);
    }));
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
    // The thread does not migrate to a processor that its mask excludes.
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(processors[0], &first);
    ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
    weir::native::migrate_home(later += 1'000'000'000);
    EXPECT_EQ(sched_getcpu(), processors[0]);
  }).join();
}

}  // namespace
