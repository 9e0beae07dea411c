// The list of all bodies, found by their threads; and when stand-ins leave theirs.
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"

namespace {

using weir::threads::body;
using weir::threads::known_bodies;

// As the C library numbers threads with stacks of 8 MiB.
pthread_t thread(std::size_t which) { return pthread_t{0x7f0000000880} + (which << 23); }

std::vector<std::unique_ptr<body>> made(known_bodies& known, std::size_t count) {
  std::vector<std::unique_ptr<body>> bodies;
  for (std::size_t i = 0; i < count; ++i) {
    bodies.push_back(std::make_unique<body>());
    bodies[i]->thread = thread(i);
    known.add(*bodies[i]);
  }
  return bodies;
}
std::size_t count_of(const known_bodies& known) {
  std::size_t count = 0;
  known.for_each([&count](const body&) { ++count; });
  return count;
}

TEST(KnownBodies, AreFoundByTheirThreads) {
  const auto known = std::make_unique<known_bodies>();
  const auto bodies = made(*known, 1000);
  for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(known->of(thread(i)), bodies[i].get());
  EXPECT_EQ(known->of(thread(1000)), nullptr);
  EXPECT_EQ(count_of(*known), 1000u);
  EXPECT_EQ(known->find([](const body& b) { return b.thread == thread(7); }), bodies[7].get());
  EXPECT_EQ(known->find([](const body&) { return false; }), nullptr);
}

TEST(KnownBodies, LeaveTheOthersWhereTheyAre) {
  for (const std::size_t first : {0, 1, 2}) {  // so that the latest, the earliest and some between leave, of each of the lists
    const auto known = std::make_unique<known_bodies>();
    const auto bodies = made(*known, 1000);
    for (std::size_t i = first; i < bodies.size(); i += 3) known->remove(*bodies[i]);
    for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(known->of(thread(i)), i % 3 == first ? nullptr : bodies[i].get());
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (i % 3 != first) known->remove(*bodies[i]);
    EXPECT_EQ(count_of(*known), 0u);
  }
}

TEST(KnownBodies, MayComeBack) {
  const auto known = std::make_unique<known_bodies>();
  const auto bodies = made(*known, 1000);
  for (const auto& each : bodies) {
    known->remove(*each);
    known->add(*each);
  }
  for (std::size_t i = 0; i < bodies.size(); i += 2) known->remove(*bodies[i]);
  for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(known->of(thread(i)), i % 2 == 0 ? nullptr : bodies[i].get());
}

// In the child of a fork, the caller's body may be removed later, when others are there.
TEST(KnownBodies, MayBeForgottenAndRemovedLater) {
  for (const std::size_t place : {0, 500, 999}) {
    const auto known = std::make_unique<known_bodies>();
    const auto bodies = made(*known, 1000);
    known->forget_all(bodies[place].get());
    EXPECT_EQ(count_of(*known), 0u);
    for (std::size_t i = bodies.size(); i-- > 0;)  // in another order
      if (i != place) known->add(*bodies[i]);
    body later;
    later.thread = thread(place);
    known->add(later);
    known->remove(*bodies[place]);
    EXPECT_EQ(known->of(thread(place)), &later);
    EXPECT_EQ(count_of(*known), 1000u);
  }
}

TEST(KnownBodies, AreAskedInTurn) {
  const auto known = std::make_unique<known_bodies>();
  const auto bodies = made(*known, 1000);
  std::size_t list = 0, asked = 0, times = 0;
  std::map<const body*, int> often;
  for (; asked < bodies.size(); ++times)
    EXPECT_FALSE(known->for_some(list, 50, [&](const body& b) { ++asked, ++often[&b]; }));
  EXPECT_LE(times, 20u);
  EXPECT_EQ(often.size(), bodies.size());
  EXPECT_TRUE(known->for_some(list, 2000, [](const body&) {}));
}

// Its seat has been reclaimed, and its thread, which has no body any more, waits for a processor of the system.
TEST(StandIns, EndAtRestThoughTheyComeToTheirSleepLate) {
  using namespace weir::threads;
  constexpr std::uint64_t second = 1'000'000'000, never = ~std::uint64_t{0};
  const auto seat = std::make_unique<processor>(), stand_in = std::make_unique<processor>();
  pool->stand_ins.push_back(stand_in.get());
  pool->processors.push_back(stand_in.get());
  stand_in->sleeps_until_it_begins();
  seat->ask_for_claim();
  seat->run_queue::hand_off(*stand_in);
  EXPECT_EQ(end_stand_ins_at_rest(0, 2 * second), never) << "it acts for the seat";
  seat->reclaim();
  stand_in->begins();
  EXPECT_EQ(end_stand_ins_at_rest(0, 2 * second), 3 * second);
  EXPECT_EQ(pool->stand_ins.size(), 1u);
  stand_in->sleeps_until_it_begins();
  EXPECT_EQ(end_stand_ins_at_rest(2 * second + 5, 3 * second), 3 * second + 5);
  EXPECT_EQ(pool->stand_ins.size(), 1u);
  EXPECT_EQ(end_stand_ins_at_rest(2 * second, 3 * second), never);
  EXPECT_TRUE(pool->stand_ins.empty() && pool->processors.empty());
}

}  // namespace
