// weir::team_barrier by name: the arguments that it accepts, and its messages for misuse.
#include <gtest/gtest.h>
#include <thread>
#include <weir/team_barrier.hpp>

#include "asleep.hpp"

namespace {

template <class Throws>
std::string message(Throws body) {
  try {
    body();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

void expect_says(const std::string& said, const std::string& part) {
  EXPECT_NE(said.find(part), std::string::npos) << "said: " << said;
}

TEST(TeamBarrier, RefusesImpossibleTeams) {
  expect_says(message([] { weir::team_barrier(0); }), "at least 1 member, not 0");
  expect_says(message([] { weir::team_barrier(weir::max_members + 1); }), "at most 65536");
  expect_says(message([] { weir::team_barrier(3, {.placement = {0, 1}}); }), "2 processors for 3 members");
  EXPECT_THROW(weir::team_barrier(0), std::invalid_argument);
}

TEST(TeamBarrier, NamesWhatItKnowsWhenANameIsUnknown) {
  const std::string said = message([] { weir::team_barrier(2, {.algorithm = "fuzzy"}); });
  expect_says(said, "\"fuzzy\"");
  for (const auto& a : weir::algorithms()) expect_says(said, a.name);
  expect_says(message([] { weir::team_barrier(2, {.waiting = "pray"}); }), "auto, spin, yield, block, share");
}

TEST(TeamBarrier, RefusesSenselessParameters) {
  EXPECT_THROW(weir::team_barrier(4, {.algorithm = "dissemination", .radix = 1}), std::invalid_argument);
  EXPECT_THROW(weir::team_barrier(4, {.algorithm = "tree", .fan_in = 0}), std::invalid_argument);
}

TEST(TeamBarrier, RefusesAMemberThatIsNotThere) {
  weir::team_barrier b(2);
  EXPECT_THROW(b.arrive_and_wait(2), std::out_of_range);
  expect_says(message([&] { b.arrive_and_wait(7); }), "member 7");
}

TEST(TeamBarrier, SaysWhatAutoTookAndWhy) {
  EXPECT_EQ(weir::team_barrier(2, {.algorithm = "mcs"}).choice().reason, "as asked");
  const weir::team_barrier many(64, {.placement = std::vector<int>(64, 0)});
  EXPECT_EQ(many.choice().algorithm, "combination-dissemination");
  EXPECT_FALSE(many.choice().reason.empty());
  std::vector<int> two_each(64);
  for (int m = 0; m < 64; ++m) two_each[static_cast<std::size_t>(m)] = m / 2;
  EXPECT_EQ(weir::team_barrier(64, {.placement = two_each}).choice().algorithm, "combination");
}

// The names are part of the interface.
TEST(TeamBarrier, KnowsTheNames) {
  for (const char* name :
       {"counter", "sense", "condvar", "condvar-pairs", "sensor", "distributed", "distributed-padded", "distributed-sensor",
        "dissemination", "mcs", "tree", "tournament", "butterfly", "linear", "combination",
        "combination-dissemination"})
    EXPECT_NO_THROW(weir::team_barrier(3, {.algorithm = name})) << name;
  for (const char* name : {"auto", "spin", "yield", "block", "share"})
    EXPECT_NO_THROW(weir::team_barrier(3, {.waiting = name})) << name;
}

TEST(Combination, SeatsMembersOfOneProcessorTogether) {
  weir::team t;
  t.members = 5;
  t.placement = {3, 7, 3, 3, 7};
  const auto s = weir::seating::by_processor(t);
  EXPECT_EQ(s.seats, 2u);
  EXPECT_EQ(s.seat_of, (std::vector<unsigned>{0, 1, 0, 0, 1}));
  t.placement = {1, 2, 3, 4, 5};
  EXPECT_EQ(weir::seating::by_processor(t).seats, 5u) << "equals mcs where no processor is shared";
}

#ifdef WEIR_CHECKED
TEST(TeamBarrierDeathTest, IsNotDestroyedInUse) {
  EXPECT_DEATH(
      {
        auto* b = new weir::team_barrier<>(2);
        std::atomic<pid_t> number{0};
        std::thread([&] {
          number = gettid();
          b->arrive_and_wait(0);
        }).detach();
        await_sleep_of(number);
        delete b;
      },
      "destroyed while 1 of its 2 members wait");
}
#endif

}  // namespace
