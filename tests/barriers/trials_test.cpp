// What trials of barriers choose, and what they cost, with times that the tests set.
#include "barriers/trials.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <utility>

namespace {

using weir::trials;

constexpr double second = 1e6, telling_us = 20;

/// The episodes of a program, one course after the other. `episode_us(candidate, now_us)`: how long one takes.
struct program {
  std::function<double(unsigned, double)> episode_us;
  trials tried;
  double now_us = 0, first_trial_us = 0;
  unsigned changes = 0, courses = 0, trial_blocks = 0;

  explicit program(unsigned candidates, std::function<double(unsigned, double)> episode, double longest_us = 1000)
      : episode_us(std::move(episode)), tried(candidates, longest_us) {
    tried.begin(now_us);
  }
  void run_for(double us) {
    for (const double end = now_us + us; now_us < end; ++courses) {
      const trials::course c = tried.now();
      for (unsigned b = 0; b < c.blocks(); ++b) {
        if (b == 1 && first_trial_us == 0) first_trial_us = now_us;
        for (std::uint32_t e = 0; e < c.episodes(b); ++e) now_us += episode_us(c.candidate(b), now_us);
        tried.block_ended(now_us);
      }
      trial_blocks += c.blocks() - 1;
      changes += tried.next().chosen != c.chosen;
      now_us += telling_us;
      tried.begin(now_us);
    }
  }
};

/// Times that vary as on a busy machine: some take a time slice.
class noise {
 public:
  double operator()(double us) {
    const double some = spread_(random_);
    return rare_(random_) ? us + 3000 : us * some;
  }

 private:
  std::mt19937 random_{1991};
  std::uniform_real_distribution<double> spread_{0.7, 1.3};
  std::bernoulli_distribution rare_{1e-5};
};

TEST(Trials, ACourseHasEachCandidateOfASetInTurn) {
  const trials::course c{.chosen = 1, .rest = 100, .tried = 0b1011, .rounds = 2, .block = 8};
  ASSERT_EQ(c.blocks(), 7u);
  const unsigned expected[] = {1, 0, 1, 3, 0, 1, 3};
  for (unsigned b = 0; b < 7; ++b) EXPECT_EQ(c.candidate(b), expected[b]);
  EXPECT_EQ(c.episodes(0), 100u);
  EXPECT_EQ(c.episodes(6), 8u);
}

TEST(Trials, TheFasterBarrierIsTaken) {
  program p(3, [](unsigned c, double) { return c == 2 ? 4.0 : 5.0; });
  p.run_for(2 * second);
  EXPECT_EQ(p.tried.chosen(), 2u);
  EXPECT_EQ(p.changes, 1u);
}

TEST(Trials, TheFasterBarrierIsTakenInNoise) {
  noise vary;
  program p(2, [&](unsigned c, double) { return vary(c == 1 ? 4 : 5); });
  p.run_for(10 * second);
  EXPECT_EQ(p.tried.chosen(), 1u);
  EXPECT_EQ(p.changes, 1u);
}

TEST(Trials, AFewPercentAreNotEnough) {
  program p(2, [](unsigned c, double) { return c == 1 ? 9.7 : 10.0; });
  p.run_for(10 * second);
  EXPECT_EQ(p.changes, 0u);
}

TEST(Trials, NoiseChangesNothing) {
  noise vary;
  program p(4, [&](unsigned, double) { return vary(5); });
  p.run_for(60 * second);
  EXPECT_EQ(p.changes, 0u);
  EXPECT_GT(p.trial_blocks, 100u);
}

TEST(Trials, AtMostAHundredthOfTheTimeIsLost) {
  for (const double usual : {2.0, 500.0})
    for (const double slower : {1.0, 1.2, 2.0, 2.9, 4.0, 30.0, 1000.0}) {
      program p(4, [=](unsigned c, double) { return c == 0 ? usual : usual * slower; });
      // From the start on, but for a scouting whose price nobody knows before.
      const double scouting = 3 * (usual == 2.0 ? 32 : 4) * usual * slower;
      for (double s = 0.2; s < 30; s += 0.2) {
        p.run_for(0.2 * second);
        EXPECT_LE(p.tried.lost_us(), 0.01 * p.now_us + scouting)
            << slower << " times " << usual << " us, after " << p.now_us << " us";
      }
      EXPECT_EQ(p.changes, 0u);
      EXPECT_GT(p.trial_blocks, 0u);
    }
}

TEST(Trials, AnotherSituationIsLearned) {
  program p(2, [](unsigned c, double now) { return now < 20 * second ? (c == 1 ? 4.0 : 5.0) : (c == 1 ? 50.0 : 20.0); });
  p.run_for(20 * second);
  ASSERT_EQ(p.tried.chosen(), 1u);
  p.run_for(6 * second);  // sooner than the distance that the trials have come to
  EXPECT_EQ(p.tried.chosen(), 0u);
  EXPECT_EQ(p.changes, 2u);
}

TEST(Trials, TheSameTimesLeaveEverLongerRests) {
  program p(2, [](unsigned, double) { return 5.0; });
  p.run_for(20 * second);
  const unsigned before = p.trial_blocks;
  p.run_for(20 * second);
  EXPECT_LE(p.trial_blocks - before, 3 * (1 + 2 * trials::most_rounds));
}

// Each candidate is the faster one for a second: who follows would always be late.
TEST(Trials, TheChoiceDoesNotSwing) {
  program p(2, [](unsigned c, double now) { return (static_cast<unsigned>(now / second) % 2 == c) ? 4.0 : 10.0; });
  p.run_for(100 * second);
  EXPECT_LE(p.changes, 20u);
  EXPECT_LE(p.tried.lost_us(), 0.01 * p.now_us);
}

TEST(Trials, ProgramsWithMuchOtherWorkAreLeftAlone) {
  program p(2, [](unsigned c, double) { return c == 1 ? 1100.0 : 1200.0; });
  p.run_for(30 * second);
  EXPECT_EQ(p.trial_blocks, 0u);
}

TEST(Trials, ShortProgramsAreLeftAlone) {
  program p(2, [](unsigned, double) { return 1.0; });
  p.run_for(second);
  EXPECT_GE(p.first_trial_us, 0.03 * second);
  EXPECT_LE(p.first_trial_us, 0.04 * second);
}

}  // namespace
