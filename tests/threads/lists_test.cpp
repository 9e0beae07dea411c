// The list of all bodies, found by their threads.
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "threads/scheduling/lists.hpp"

namespace {

using weir::threads::body;
using weir::threads::known_bodies;

// As the C library numbers threads with stacks of 8 MiB.
pthread_t thread(std::size_t which) { return pthread_t{0x7f0000000880} + (which << 23); }

std::vector<std::unique_ptr<body>> made(known_bodies& known, std::size_t count) {
  std::vector<std::unique_ptr<body>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<body>());
    all[i]->thread = thread(i);
    known.add(*all[i]);
  }
  return all;
}
std::size_t count_of(const known_bodies& known) {
  std::size_t count = 0;
  known.for_each([&count](const body&) { ++count; });
  return count;
}

TEST(KnownBodies, AreFoundByTheirThreads) {
  const auto known = std::make_unique<known_bodies>();
  const auto all = made(*known, 1000);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(known->of(thread(i)), all[i].get());
  EXPECT_EQ(known->of(thread(1000)), nullptr);
  EXPECT_EQ(count_of(*known), 1000u);
  EXPECT_EQ(known->find([](const body& b) { return b.thread == thread(7); }), all[7].get());
  EXPECT_EQ(known->find([](const body&) { return false; }), nullptr);
}

TEST(KnownBodies, LeaveTheOthersWhereTheyAre) {
  for (const std::size_t first : {0, 1, 2}) {  // so that the latest, the earliest and some between leave, of each of the lists
    const auto known = std::make_unique<known_bodies>();
    const auto all = made(*known, 1000);
    for (std::size_t i = first; i < all.size(); i += 3) known->remove(*all[i]);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(known->of(thread(i)), i % 3 == first ? nullptr : all[i].get());
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i % 3 != first) known->remove(*all[i]);
    EXPECT_EQ(count_of(*known), 0u);
  }
}

TEST(KnownBodies, MayComeBack) {
  const auto known = std::make_unique<known_bodies>();
  const auto all = made(*known, 1000);
  for (const auto& each : all) {
    known->remove(*each);
    known->add(*each);
  }
  for (std::size_t i = 0; i < all.size(); i += 2) known->remove(*all[i]);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(known->of(thread(i)), i % 2 == 0 ? nullptr : all[i].get());
}

// In the child of a fork, the caller's body may be removed later, when others are there.
TEST(KnownBodies, MayBeForgottenAndRemovedLater) {
  for (const std::size_t mine : {0, 500, 999}) {
    const auto known = std::make_unique<known_bodies>();
    const auto all = made(*known, 1000);
    known->forget_all(all[mine].get());
    EXPECT_EQ(count_of(*known), 0u);
    for (std::size_t i = all.size(); i-- > 0;)  // in another order
      if (i != mine) known->add(*all[i]);
    body later;
    later.thread = thread(mine);
    known->add(later);
    known->remove(*all[mine]);
    EXPECT_EQ(known->of(thread(mine)), &later);
    EXPECT_EQ(count_of(*known), 1000u);
  }
}

TEST(KnownBodies, AreAskedInTurn) {
  const auto known = std::make_unique<known_bodies>();
  const auto all = made(*known, 1000);
  std::size_t list = 0, asked = 0, times = 0;
  std::map<const body*, int> often;
  for (; asked < all.size(); ++times)
    EXPECT_FALSE(known->for_some(list, 50, [&](const body& b) { ++asked, ++often[&b]; }));
  EXPECT_LE(times, 20u);
  EXPECT_EQ(often.size(), all.size());
  EXPECT_TRUE(known->for_some(list, 2000, [](const body&) {}));
}

}  // namespace
