// The barrier of a cancellable region in every interleaving: nobody waits for ever, and nobody passes before all others have
// arrived or left.
#include "openmp/teams/cancellable_barrier.hpp"

#include <gtest/gtest.h>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;

/// What the members do besides member 0, which cancels the region.
enum class others { may_leave, may_not_leave, one_may_leave };
/// When member 0 cancels: before the barrier, or after it has passed it once.
enum class when { at_once, after_a_barrier };

template <template <class> class Barrier>
struct region {
  Barrier<explored> barrier;
  explored::gate waiters;
  explored::word<std::uint32_t> come[3]{0, 0, 0}, never{0};  // come: the barriers that each member has come to

  explicit region(unsigned members) : barrier(members) {}

  /// The search reports a member that waits for ever.
  void fail() {
    explored::spin(never, [](std::uint32_t) { return false; });
  }

  static bool may_leave(unsigned member, others what) {
    return what == others::may_leave || (what == others::one_may_leave && member == 1);
  }

  /// The n-th barrier, from 1. True: the region is cancelled, and the member has left.
  bool pass(unsigned member, std::uint32_t n, unsigned members, others what) {
    come[member].store(n, std::memory_order_relaxed);
    const bool left = barrier.arrive_and_wait(
        may_leave(member, what),
        [&](auto& word, auto ready) {
          while (!ready(word.load(std::memory_order_acquire)))
            waiters.sleep_unless([&] { return ready(word.load(std::memory_order_acquire)); });
        },
        [&] { waiters.open(); });
    if (left) return true;
    const bool some_may_have_left = barrier.is_cancelled();
    for (unsigned m = 0; m < members; ++m)
      if (come[m].load(std::memory_order_relaxed) < n && !(some_may_have_left && (m == 0 || may_leave(m, what)))) fail();
    return false;
  }

  void execute(unsigned member, unsigned members, others what, when begins) {
    if (member == 0) {
      if (begins == when::after_a_barrier && pass(0, 1, members, others::may_not_leave)) fail();
      barrier.cancel();
      waiters.open();
      if (barrier.leave()) waiters.open();
      return;
    }
    for (std::uint32_t n = 1; n <= 2; ++n)
      if (pass(member, n, members, what)) return;
  }
};

template <template <class> class Barrier>
bool holds(unsigned members, others what, when begins, memory_model memory) {
  subject s;
  s.members = members;
  s.build = [=]() -> subject::body {
    return [=, r = new region<Barrier>(members)](unsigned member) { r->execute(member, members, what, begins); };
  };
  return explore(s, {.memory = memory}).holds;
}

class CancellableBarrier : public testing::TestWithParam<memory_model> {};

TEST_P(CancellableBarrier, IsPassedByThoseThatStay) {
  // The weak memory of three members has too many states for a test.
  const unsigned most = GetParam() == memory_model::weak ? 2 : 3;
  for (unsigned members = 2; members <= most; ++members)
    for (const others what : {others::may_leave, others::may_not_leave, others::one_may_leave})
      for (const when begins : {when::at_once, when::after_a_barrier})
        EXPECT_TRUE(holds<weir::openmp::cancellable_barrier>(members, what, begins, GetParam()))
            << members << " members, " << static_cast<int>(what) << ", " << static_cast<int>(begins);
}

INSTANTIATE_TEST_SUITE_P(In, CancellableBarrier, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

/// Mutants.
template <class Machine>
struct leaves_without_counting : weir::openmp::cancellable_barrier<Machine> {
  using weir::openmp::cancellable_barrier<Machine>::cancellable_barrier;
  bool leave() { return false; }
};
template <class Machine>
struct wakes_nobody_when_it_leaves : weir::openmp::cancellable_barrier<Machine> {
  using weir::openmp::cancellable_barrier<Machine>::cancellable_barrier;
  bool leave() {
    (void)weir::openmp::cancellable_barrier<Machine>::leave();
    return false;
  }
};
template <class Machine>
struct cancels_nothing : weir::openmp::cancellable_barrier<Machine> {
  using weir::openmp::cancellable_barrier<Machine>::cancellable_barrier;
  void cancel() {}
  bool leave() { return false; }
};

TEST(CancellableBarrierMutants, WhoLeavesCountsAsArrived) {
  EXPECT_FALSE(holds<leaves_without_counting>(2, others::may_not_leave, when::at_once, memory_model::sc));
}
TEST(CancellableBarrierMutants, WhoLeavesAsTheLastWakesTheOthers) {
  EXPECT_FALSE(holds<wakes_nobody_when_it_leaves>(2, others::may_not_leave, when::at_once, memory_model::sc));
}
TEST(CancellableBarrierMutants, WhoMayLeaveMustSeeTheCancellation) {
  EXPECT_FALSE(holds<cancels_nothing>(2, others::may_leave, when::at_once, memory_model::sc));
}

}  // namespace
