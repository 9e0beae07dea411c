// The handles of events: each leads to its event once, however its slot is used again, and whichever threads ask at the same
// time.
#include "openmp/tasks/event_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

namespace {

using weir::openmp::event_table;

// The table reads nothing of what an event points to.
event_table::event numbered(std::uintptr_t number) {
  return {reinterpret_cast<weir::openmp::task*>(number), reinterpret_cast<weir::openmp::member*>(~number)};
}
bool is(const event_table::event& found, std::uintptr_t number) {
  const auto expected = numbered(number);
  return found.awaiting == expected.awaiting && found.root == expected.root;
}

TEST(EventTable, AHandleLeadsToItsEventOnce) {
  static event_table table;  // never destroyed, as the runtime's
  event_table::event found{};
  std::vector<std::uint64_t> handles;
  for (std::uintptr_t n = 0; n < 1000; ++n) handles.push_back(table.add(numbered(n)));
  EXPECT_EQ(std::set(handles.begin(), handles.end()).size(), handles.size());
  for (std::uintptr_t n = 0; n < 1000; ++n) {
    ASSERT_TRUE(table.take(handles[n], found) && is(found, n));
    EXPECT_FALSE(table.take(handles[n], found));
  }
}

TEST(EventTable, AnOldHandleIsKnownAfterItsSlotIsUsedAgain) {
  static event_table table;  // never destroyed, as the runtime's
  event_table::event found{};
  std::vector<std::uint64_t> old;
  for (std::uintptr_t n = 0; n < 100; ++n) {
    const auto handle = table.add(numbered(n));
    for (const auto one : old) ASSERT_FALSE(table.take(one, found));
    ASSERT_TRUE(table.take(handle, found) && is(found, n));
    old.push_back(handle);
  }
  // One slot served them all.
  EXPECT_TRUE(std::ranges::all_of(old, [&](auto handle) { return static_cast<std::uint32_t>(handle) == 1; }));
}

TEST(EventTable, NoOtherNumberIsAHandle) {
  static event_table table;  // never destroyed, as the runtime's
  event_table::event found{};
  const auto handle = table.add(numbered(7));
  for (const std::uint64_t other : {std::uint64_t{0}, ~std::uint64_t{0}, handle + 1, handle + (std::uint64_t{1} << 32),
                                    handle + (std::uint64_t{2} << 32), handle & 0xffffffff, std::uint64_t{0x7fff12345678}})
    EXPECT_FALSE(table.take(other, found)) << other;
  EXPECT_TRUE(table.take(handle, found));
}

TEST(EventTable, OneOfSeveralThreadsTakesAnEvent) {
  constexpr unsigned threads = 4, rounds = 5000;
  static event_table table;  // never destroyed, as the runtime's
  std::uint64_t handles[threads];
  std::atomic<unsigned> taken{0};
  std::atomic<bool> wrong{false};
  std::barrier meeting(threads);
  const auto run = [&](unsigned me) {
    for (unsigned round = 0; round < rounds; ++round) {
      handles[me] = table.add(numbered(round * threads + me));
      meeting.arrive_and_wait();
      for (unsigned i = 0; i < threads; ++i) {
        event_table::event found{};
        const unsigned other = (me + i) % threads;
        if (!table.take(handles[other], found)) continue;
        ++taken;
        if (!is(found, round * threads + other)) wrong = true;
      }
      meeting.arrive_and_wait();
    }
  };
  std::vector<std::jthread> running;
  for (unsigned t = 0; t < threads; ++t) running.emplace_back(run, t);
  running.clear();
  EXPECT_EQ(taken, threads * rounds);
  EXPECT_FALSE(wrong);
}

}  // namespace
