// weir::barrier behaves as std::barrier does: the same tests run on both.
#include <barrier>
#include <cstddef>
#include <gtest/gtest.h>
#include <thread>
#include <type_traits>
#include <vector>
#include <weir/barrier.hpp>

#include "../contract.hpp"
#include "asleep.hpp"

namespace {

struct standard {
  template <class... F>
  using barrier = std::barrier<F...>;
};
struct ours {
  template <class... F>
  using barrier = weir::barrier<F...>;
};

template <class Library>
class Standard : public testing::Test {};
using Libraries = testing::Types<standard, ours>;
TYPED_TEST_SUITE(Standard, Libraries);

struct count_up {
  int* counter;
  void operator()() noexcept { ++*counter; }
};

template <class B>
void run(unsigned members, B&& body) {
  std::vector<std::thread> team;
  for (unsigned m = 0; m < members; ++m) team.emplace_back([&, m] { body(m); });
  for (auto& t : team) t.join();
}

TYPED_TEST(Standard, HasTheInterface) {
  using b = typename TypeParam::template barrier<>;
  using c = typename TypeParam::template barrier<count_up>;
  static_assert(std::is_same_v<decltype(b::max()), std::ptrdiff_t> && noexcept(b::max()));
  static_assert(b::max() >= 1 << 20);
  static_assert(!std::is_copy_constructible_v<b> && !std::is_copy_assignable_v<b>);
  static_assert(!std::is_convertible_v<std::ptrdiff_t, b>, "the constructor is explicit");
  static_assert(std::is_constructible_v<b, std::ptrdiff_t> && std::is_constructible_v<c, std::ptrdiff_t, count_up>);
  using token = typename b::arrival_token;
  static_assert(std::is_move_constructible_v<token> && std::is_move_assignable_v<token> && std::is_destructible_v<token>);
  static_assert(std::is_same_v<decltype(std::declval<b&>().arrive()), token>);
  static_assert(std::is_same_v<decltype(std::declval<b&>().arrive(2)), token>);
  static_assert(std::is_same_v<decltype(std::declval<const b&>().wait(std::declval<token&&>())), void>);
  static_assert(std::is_same_v<decltype(std::declval<b&>().arrive_and_wait()), void>);
  static_assert(std::is_same_v<decltype(std::declval<b&>().arrive_and_drop()), void>);
}

TYPED_TEST(Standard, KeepsTheContract) {
  for (const unsigned members : {1u, 2u, 3u, 8u}) {
    typename TypeParam::template barrier<> b(members);
    contract::checker checker({.members = members, .episodes = contract::sanitized ? 60u : 600u});
    EXPECT_EQ(checker.run([&](unsigned) { b.arrive_and_wait(); }), "");
  }
}

TYPED_TEST(Standard, RunsTheCompletionOnceInEachPhaseBeforeAnyoneIsReleased) {
  constexpr unsigned members = 4;
  int phases = 0;  // plain: the barrier orders it
  typename TypeParam::template barrier<count_up> b(members, count_up{&phases});
  std::atomic<int> wrong{0};
  run(members, [&](unsigned) {
    for (int i = 1; i <= 200; ++i) {
      b.arrive_and_wait();
      if (phases != i) ++wrong;
      b.arrive_and_wait();
      ++i;
      if (i > 200) break;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST(Standard, LetsAMemberArriveAndWaitLater) {
  int phases = 0;
  typename TypeParam::template barrier<count_up> b(2, count_up{&phases});
  auto token = b.arrive();
  EXPECT_EQ(phases, 0);
  std::thread other([&] { b.arrive_and_wait(); });
  b.wait(std::move(token));
  EXPECT_EQ(phases, 1);
  other.join();
}

TYPED_TEST(Standard, LetsOneThreadArriveForSeveral) {
  int phases = 0;
  typename TypeParam::template barrier<count_up> b(5, count_up{&phases});
  (void)b.arrive(3);
  EXPECT_EQ(phases, 0);
  auto token = b.arrive(2);
  EXPECT_EQ(phases, 1);
  b.wait(std::move(token));  // the phase is complete, so this does not wait
}

TYPED_TEST(Standard, LetsMembersLeaveTheTeam) {
  constexpr unsigned members = 6;
  typename TypeParam::template barrier<> b(members);
  std::atomic<int> passed{0};
  run(members, [&](unsigned m) {
    for (unsigned phase = 0; phase < m; ++phase) {
      b.arrive_and_wait();
      ++passed;
    }
    b.arrive_and_drop();
  });
  EXPECT_EQ(passed, 0 + 1 + 2 + 3 + 4 + 5);
}

TEST(Ours, CanBeInitialisedAtCompileTime) {
  static constinit weir::barrier<> b(2);
  run(2, [&](unsigned) {
    for (int i = 0; i < 100; ++i) b.arrive_and_wait();
  });
}

TEST(Ours, RefusesImpossibleTeams) {
  EXPECT_THROW(weir::barrier<>(-1), std::invalid_argument);
  EXPECT_THROW(weir::barrier<>(weir::barrier<>::max() + 1), std::invalid_argument);
}

#ifdef WEIR_CHECKED
TEST(OursDeathTest, IsNotDestroyedInUse) {
  EXPECT_DEATH(
      {
        auto* b = new weir::barrier<>(2);
        std::atomic<pid_t> number{0};
        std::thread([&] {
          number = gettid();
          b->arrive_and_wait();
        }).detach();
        await_sleep_of(number);
        delete b;
      },
      "destroyed while 1 threads wait");
}
#endif

}  // namespace
