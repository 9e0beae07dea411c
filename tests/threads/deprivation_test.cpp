// On how many processors threads compute beside other programs: decided on a model of a machine, whose time goes by as the test
// says.
#include "threads/program/deprivation.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::threads::deprivation;
using weir::threads::lately_seen;

constexpr std::uint64_t ms = deprivation::ms, s = 1000 * ms;

struct program {
  unsigned threads = 0;
  bool meet = true;   // otherwise each computes for itself
  bool decides = true;  // a program without Weir does not
  bool is_there = true;
  deprivation policy{};
  unsigned used = threads;
  std::uint64_t looks_at = 0, looked_at = 0, done = 0;  // done: what has been computed, in nanoseconds of a processor
  unsigned changes = 0, looks = 0, asked = 0;
  lately_seen seen{};
};

/// Kernel threads get equal parts of the processors. Threads that meet compute while all have processors: where others have some
/// of these, hardly ever, unless they are on one.
class machine {
 public:
  machine(unsigned processors, std::vector<program> programs) : processors_(processors), present(std::move(programs)) {}

  void run(std::uint64_t time) {
    for (const std::uint64_t end = now + time; now < end; now += step) {
      unsigned running = 0;
      for (const program& p : present) running += p.is_there ? p.used : 0;
      for (program& p : present)
        if (p.is_there) run(p, running);
    }
  }

  std::uint64_t now = 1'000 * s;
  const unsigned processors_;
  std::vector<program> present;

 private:
  static constexpr std::uint64_t step = ms;

  void run(program& p, unsigned running) {
    const std::uint64_t gets = step * std::min(running, processors_) / running;  // each of its threads
    p.seen.ran += gets * p.used;
    p.seen.delayed += (step - gets) * p.used;
    p.seen.process += gets * p.used;
    const bool in_vain = p.meet && p.used > 1 && gets < step;
    p.done += in_vain ? gets * p.used / 10 : gets * p.used;
    if (!p.decides || now < p.looks_at) return;
    p.seen.wall = now - std::exchange(p.looked_at, now);
    p.seen.running = p.used;
    p.seen.waiting = p.meet && (p.used < p.threads || in_vain) ? p.used : 0;
    ++p.looks;
    p.asked += p.policy.asks_who_waits() ? 1 : 0;
    const unsigned use = p.policy.look(p.seen, std::min(p.threads, processors_), now);
    p.changes += use != p.used ? 1 : 0;
    p.used = use;
    p.looks_at = p.policy.next(now);
    p.seen = {};
  }
};

program with(unsigned threads, bool meet = true) { return {.threads = threads, .meet = meet}; }
program without_weir(unsigned threads) { return {.threads = threads, .meet = false, .decides = false}; }
/// What all have computed in that time, as a part of what the processors could.
double efficiency(machine& m, std::uint64_t time) {
  std::uint64_t before = 0, after = 0;
  for (const program& p : m.present) before += p.done;
  m.run(time);
  for (const program& p : m.present) after += p.done;
  return static_cast<double>(after - before) / static_cast<double>(time) / m.processors_;
}

constexpr lately_seen kept{.wall = 25 * ms, .process = 20 * ms, .ran = 20 * ms, .delayed = 30 * ms, .running = 2, .waiting = 1};
constexpr lately_seen not_kept{.wall = 25 * ms, .process = 50 * ms, .ran = 50 * ms, .running = 2, .waiting = 1};
constexpr lately_seen kept_but_computes{.wall = 25 * ms, .process = 20 * ms, .ran = 20 * ms, .delayed = 30 * ms, .running = 2};
/// So many looks; what the last one says.
unsigned look(deprivation& detector, const lately_seen& sees, unsigned looks, std::uint64_t& now, unsigned most = 2) {
  unsigned use = 0;
  for (unsigned i = 0; i < looks; ++i) use = detector.look(sees, most, now += 25 * ms);
  return use;
}

TEST(Deprivation, AProgramThatIsAloneKeepsItsProcessors) {
  machine m(4, {with(4)});
  m.run(60 * s);
  EXPECT_EQ(m.present[0].changes, 0u);
  EXPECT_EQ(m.present[0].asked, 0u);
  EXPECT_LE(m.present[0].looks, 601u);
}

TEST(Deprivation, CopiesWhoseThreadsMeetComputeOnWhatTheyGet) {
  for (const unsigned copies : {2u, 3u, 8u}) {
    machine m(2, std::vector(copies, with(2)));
    m.run(250 * ms);
    for (const program& p : m.present) EXPECT_EQ(p.used, 1u) << copies;
    EXPECT_GT(efficiency(m, 10 * s), 0.85) << copies;
  }
}

TEST(Deprivation, ManyProcessorsAreDivided) {
  machine m(64, {with(64), with(64)});
  m.run(250 * ms);
  EXPECT_EQ(m.present[0].used, 32u);
  EXPECT_EQ(m.present[1].used, 32u);
  EXPECT_GT(efficiency(m, 20 * s), 0.85);
}

// No other program must take part.
TEST(Deprivation, OneThatYieldsGainsAlone) {
  machine m(2, {with(2), without_weir(2)});
  const auto done = [&] { return m.present[0].done; };
  m.run(250 * ms);
  const std::uint64_t before = done();
  m.run(10 * s);
  EXPECT_EQ(m.present[0].used, 1u);
  EXPECT_GT(done() - before, 6 * s);  // of 6.7 that one of three threads gets; on two, 1
}

TEST(Deprivation, ThreadsThatComputeForThemselvesKeepTheirProcessors) {
  machine m(2, {with(2, false), without_weir(4)});
  m.run(60 * s);
  EXPECT_EQ(m.present[0].changes, 0u);
  EXPECT_LT(m.present[0].asked, m.present[0].looks / 2);  // they are interrupted seldom
}

TEST(Deprivation, WhoBeginsToWaitLaterIsFound) {
  machine m(2, {with(2, false), without_weir(2)});
  m.run(20 * s);
  m.present[0].meet = true;
  m.run(s);
  EXPECT_EQ(m.present[0].used, 1u);
}

TEST(Deprivation, WhoWaitsNoMoreGetsAllProcessorsAgain) {
  machine m(2, {with(2), without_weir(4)});
  m.run(s);
  ASSERT_EQ(m.present[0].used, 1u);
  m.present[0].meet = false;
  m.run(300 * ms);
  EXPECT_EQ(m.present[0].used, 2u);
  m.run(10 * s);
  EXPECT_EQ(m.present[0].used, 2u);
}

TEST(Deprivation, ABusyProcessOnOneOfTwoProcessorsChangesNothing) {
  machine m(2, {with(2)});
  for (int i = 0; i < 100; ++i) {
    lately_seen seen{.wall = 25 * ms, .process = 37 * ms, .ran = 37 * ms, .delayed = 13 * ms, .running = 2, .waiting = 2};
    EXPECT_EQ(m.present[0].policy.look(seen, 2, m.now += 25 * ms), 2u);
  }
}

TEST(Deprivation, WhenTheOthersHaveGoneAllProcessorsAreUsedAgain) {
  machine m(2, {with(2), with(2)});
  m.run(120 * s);
  ASSERT_EQ(m.present[0].used, 1u);
  m.present[1].is_there = false;
  m.run(deprivation::last_try_after + 100 * ms);
  EXPECT_EQ(m.present[0].used, 2u);
  m.run(60 * s);
  EXPECT_EQ(m.present[0].used, 2u);
}

TEST(Deprivation, TrialsBecomeRare) {
  machine m(2, {with(2), with(2)});
  m.run(10 * s);
  const unsigned before = m.present[0].changes;
  m.run(60 * s);
  EXPECT_GT(m.present[0].changes, before);
  EXPECT_LE(m.present[0].changes, before + 2 * 16);
  EXPECT_GT(efficiency(m, 60 * s), 0.95);
}

TEST(Deprivation, AfterATrialThatHasSucceededTheNextOneComesSoon) {
  machine m(2, {with(2), with(2)});
  m.run(30 * s);
  m.present[1].is_there = false;
  m.run(10 * s);
  m.present[1].is_there = true;
  m.run(500 * ms);
  ASSERT_EQ(m.present[0].used, 1u);
  m.present[1].is_there = false;
  m.run(500 * ms);
  EXPECT_EQ(m.present[0].used, 2u);
}

// Where others keep even its one virtual processor waiting, there is nothing to try.
TEST(Deprivation, NothingIsTriedWhileOthersKeepTheFewerWaiting) {
  machine m(2, {with(2), without_weir(4)});
  m.run(60 * s);
  EXPECT_EQ(m.present[0].changes, 1u);
}

TEST(Deprivation, ThreadsOfTheSameProcessAreNoOthers) {
  deprivation detector;
  std::uint64_t now = s;
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(
        detector.look({.wall = 25 * ms, .process = 50 * ms, .ran = 50 * ms, .delayed = 150 * ms, .running = 8, .waiting = 8}, 2,
                      now += 25 * ms),
        2u);
}

TEST(Deprivation, AThreadThatHasNotRunSaysNothing) {
  deprivation detector;
  std::uint64_t now = s;
  detector.look(kept, 2, now);
  detector.look({.wall = 25 * ms}, 2, now += 25 * ms);
  detector.look(kept, 2, now += 25 * ms);
  detector.look({.wall = 25 * ms}, 2, now += 25 * ms);
  EXPECT_EQ(detector.look(kept, 2, now += 25 * ms), 1u);
}

TEST(Deprivation, AProgramThatSleepsIsLeftAlone) {
  deprivation detector;
  std::uint64_t now = s;
  unsigned looks = 0;
  for (; now < 61 * s; now = detector.next(now), ++looks) EXPECT_EQ(detector.look({.wall = 500 * ms}, 2, now), 2u);
  EXPECT_LT(looks, 140u);
}

TEST(Deprivation, AMomentWithoutAProcessorChangesNothing) {
  deprivation detector;
  std::uint64_t now = s;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(look(detector, kept, deprivation::looks_for_fewer - 1, now), 2u);
    EXPECT_EQ(look(detector, not_kept, 1, now), 2u);
  }
}

TEST(Deprivation, ThreadsThatEndLeaveNoFewer) {
  deprivation detector;
  std::uint64_t now = s;
  ASSERT_EQ(look(detector, kept, 3, now), 1u);
  EXPECT_EQ(look(detector, kept, 1, now, 1), 1u);
  EXPECT_EQ(look(detector, not_kept, 1, now), 2u);
  const lately_seen alone{.wall = 25 * ms, .process = 10 * ms, .ran = 10 * ms, .delayed = 15 * ms, .running = 1, .waiting = 1};
  EXPECT_EQ(look(detector, alone, 3, now, 1), 1u);
  EXPECT_EQ(look(detector, not_kept, 1, now), 2u);
}

// On a processor each, those that spin need not be found to.
TEST(Deprivation, ATrialEndsWithoutAnswers) {
  deprivation detector;
  std::uint64_t now = s;
  ASSERT_EQ(look(detector, kept, 3, now), 1u);
  ASSERT_EQ(look(detector, not_kept, 10, now), 2u);
  EXPECT_EQ(look(detector, kept_but_computes, deprivation::looks_for_fewer_again, now), 1u);
}

TEST(Deprivation, AfterAnEndedTrialAnswersAreNeededAgain) {
  deprivation detector;
  std::uint64_t now = s;
  ASSERT_EQ(look(detector, kept, 3, now), 1u);
  ASSERT_EQ(look(detector, not_kept, 10, now), 2u);
  ASSERT_EQ(look(detector, kept, 2, now), 1u);
  ASSERT_EQ(look(detector, kept_but_computes, deprivation::looks_without_waits, now), 2u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(look(detector, kept_but_computes, 1, now), 2u);
}

TEST(Deprivation, WhenMoreComeEachTakesFewer) {
  machine m(64, {with(64), with(64), without_weir(64)});
  m.present[2].is_there = false;
  m.run(240 * ms);
  ASSERT_EQ(m.present[0].used, 32u);
  m.present[2].is_there = true;
  m.run(200 * ms);
  EXPECT_LT(m.present[0].used, 20u);
}

}  // namespace
