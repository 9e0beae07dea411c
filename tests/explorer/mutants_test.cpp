// The explorer finds a breach in each mutant, and none in the copies without a fault.
#include <gtest/gtest.h>

#include <functional>

#include <weir/barriers/proof.hpp>
#include <weir/barriers/sense.hpp>

#include "../barriers/mutants.hpp"
#include "../barriers/tried.hpp"
#include "gate_mutants.hpp"
#include "simulator/explorer/explorer.hpp"
#include "simulator/explorer/subjects.hpp"

namespace {

using namespace weir::explorer;
namespace plans = weir::plans;

template <class Barrier>
subject team_of(unsigned members, unsigned episodes) {
  return meeting(members, episodes, [members] { return std::make_unique<Barrier>(members); });
}
subject plan_of(const weir::plan& p, unsigned episodes) {
  return meeting(p.participants(), episodes, [p] { return std::make_unique<mutants::unproven<explored>>(p); });
}

/// The breach that is found in the fewest episodes, under SC or otherwise under TSO; "" if none.
std::string found(const std::function<subject(unsigned episodes)>& with) {
  for (unsigned episodes = 1; episodes <= 3; ++episodes)
    for (const auto memory : {memory_model::sc, memory_model::tso}) {
      const verdict v = explore(with(episodes), {.memory = memory});
      EXPECT_TRUE(v.complete || !v.holds);
      if (!v.holds) return v.violated.substr(0, v.violated.find(':'));
    }
  return "";
}
template <class Barrier>
std::string found_in(unsigned members) {
  return found([=](unsigned episodes) { return team_of<Barrier>(members, episodes); });
}
std::string found_in(const weir::plan& p) {
  return found([&](unsigned episodes) { return plan_of(p, episodes); });
}

#define HOLDS(mutant, members) \
  TEST(Control, mutant) { EXPECT_EQ(found_in<mutants::mutant<explored>>(members), ""); }
#define FOUND(mutant, members, what) \
  TEST(Mutant, mutant) { EXPECT_EQ(found_in<mutants::mutant<explored>>(members), what); }

HOLDS(counter_not_broken, 3)
HOLDS(sense_not_broken, 3)
HOLDS(condvar_not_broken, 3)
HOLDS(distributed_not_broken, 3)
HOLDS(distributed_sensor_not_broken, 3)
HOLDS(combination_not_broken, 4)

FOUND(counter_one_too_few, 3, "early leave")
FOUND(counter_waits_for_equality, 2, "deadlock")
FOUND(counter_without_release, 2, "unsynchronized leave")
FOUND(sense_without_flip, 2, "early leave")
FOUND(sense_counter_not_reset, 2, "deadlock")
FOUND(sense_released_before_reset, 2, "deadlock")
FOUND(sense_released_relaxed, 2, "unsynchronized leave")
FOUND(condvar_flipped_without_mutex, 2, "lost wake-up")
FOUND(condvar_one_pair_forgotten, 3, "lost wake-up")
FOUND(sensor_with_sense, 2, "early leave")
FOUND(distributed_with_one_set, 2, "deadlock")
FOUND(distributed_scan_too_short, 2, "early leave")
FOUND(distributed_stored_relaxed, 2, "unsynchronized leave")
FOUND(distributed_sensor_released_ungathered, 2, "early leave")
FOUND(distributed_sensor_reset_too_late, 2, "deadlock")
FOUND(combination_released_before_the_tree, 3, "early leave")

TEST(Control, PlansHold) {
  for (const plans::entry& e : plans::table) EXPECT_EQ(found_in(e.make(4, {})), "") << e.name;
}
// With three members one parity is enough, as the proof below shows.
TEST(Mutant, DisseminationWithOneParity) { EXPECT_EQ(found_in(mutants::one_parity(plans::dissemination(4))), "deadlock"); }
TEST(Mutant, DisseminationWithSwappedPartners) {
  EXPECT_NE(found_in(mutants::swapped_partners(plans::dissemination(4), 0, 1)), "");
}
TEST(Mutant, ButterflyWithOneParity) { EXPECT_NE(found_in(mutants::one_parity(plans::butterfly(3))), ""); }
TEST(Mutant, ButterflyWithSwappedPartners) {
  EXPECT_NE(found_in(mutants::swapped_partners(plans::butterfly(4), 1, 2)), "");
}
TEST(Mutant, McsRootForgetsAChild) { EXPECT_EQ(found_in(mutants::impatient(plans::mcs(3), 0)), "early leave"); }
TEST(Mutant, TreeParentForgetsAChild) {
  EXPECT_EQ(found_in(mutants::impatient(plans::tree(4, 2, 2), 1)), "early leave");
}
TEST(Mutant, TournamentWinnerForgetsItsLoser) {
  EXPECT_EQ(found_in(mutants::impatient(plans::tournament(4), 2)), "early leave");
}
TEST(Mutant, TournamentTreeWinnerForgetsItsLoser) {
  EXPECT_EQ(found_in(mutants::impatient(plans::tournament(4, plans::wake_up::tree), 2)), "early leave");
}

// The proof executes plans symbolically, the explorer executes them as they are: both must agree.
TEST(Plans, TheProofAndTheExplorerAgree) {
  unsigned holding = 0, broken = 0;
  const auto agree = [&](const weir::plan& p) {
    const bool proven = weir::prove(p).holds;
    (proven ? holding : broken) += 1;
    EXPECT_EQ(found_in(p) == "", proven) << p.name << " for " << p.participants();
  };
  for (unsigned n = 2; n <= 4; ++n)
    for (const auto& planned : tried::plans({{"", {.radix = 3, .fan_in = 1, .fan_out = 3}}})) {
      const weir::plan p = planned(n);
      agree(p);
      agree(mutants::one_parity(p));
      for (unsigned m = 0; m < n; ++m) agree(mutants::impatient(p, m));
    }
  EXPECT_GT(holding, 20u);
  EXPECT_GT(broken, 20u);
}

/// Two members, of which the last to arrive runs a completion for both.
enum class fault { none, before_all, after_the_release, twice, without_acquire };
template <fault Fault>
struct completing {
  explored::word<unsigned> arrived{0}, over{0};
  unsigned episode[2] = {};

  void arrive_and_wait(unsigned member) {
    const unsigned now = ++episode[member];
    if (Fault == fault::before_all && member == 0) explored::complete(now);
    const auto order = Fault == fault::without_acquire ? std::memory_order_release : std::memory_order_acq_rel;
    if (arrived.fetch_add(1, order) + 1 == 2 * now) {
      if (Fault != fault::before_all && Fault != fault::after_the_release) explored::complete(now);
      over.store(now, std::memory_order_release);
      if (Fault == fault::after_the_release && arrived.load(std::memory_order_relaxed) != 0) explored::complete(now);
    } else {
      explored::spin(over, [now](unsigned e) { return e >= now; });
      if (Fault == fault::twice) explored::complete(now);
    }
  }
};
template <fault Fault>
std::string found_in_completing() {
  return found([](unsigned episodes) {
    subject s = meeting(2, episodes, [] { return std::make_unique<completing<Fault>>(); });
    s.completes = true;
    return s;
  });
}

TEST(Control, CompletionNotBroken) { EXPECT_EQ(found_in_completing<fault::none>(), ""); }
TEST(Mutant, CompletionBeforeAllHaveArrived) { EXPECT_EQ(found_in_completing<fault::before_all>(), "early completion"); }
TEST(Mutant, CompletionAfterTheRelease) { EXPECT_EQ(found_in_completing<fault::after_the_release>(), "early leave"); }
TEST(Mutant, CompletionTwice) { EXPECT_EQ(found_in_completing<fault::twice>(), "second completion"); }
TEST(Mutant, CompletionWithoutAcquire) {
  EXPECT_EQ(found_in_completing<fault::without_acquire>(), "unsynchronized completion");
}

template <class Machine, template <class, template <class> class> class Barrier>
subject blocking(unsigned members, unsigned episodes) {
  return meeting(members, episodes, [members] {
    return std::make_unique<Barrier<Machine, weir::waiting::block>>(explored_team(members));
  });
}
template <class Machine, template <class, template <class> class> class Barrier = weir::barriers::sense>
std::string found_blocking(unsigned members) {
  return found([=](unsigned episodes) { return blocking<Machine, Barrier>(members, episodes); });
}

TEST(GateMutant, WithoutTheHeavyFenceAWakeUpIsLostUnderTsoOnly) {
  const auto s = blocking<mutants::gate_without_fence, weir::barriers::sense>(2, 2);
  EXPECT_TRUE(explore(s, {.memory = memory_model::sc}).holds);
  const verdict v = explore(s, {.memory = memory_model::tso});
  EXPECT_EQ(v.found.what, breach::kind::lost_wake_up);
  EXPECT_NE(v.timeline.find("memory: "), std::string::npos) << v.timeline;
  EXPECT_NE(v.timeline.find("lost wake-up: member"), std::string::npos) << v.timeline;
}
TEST(GateMutant, WithoutTheSecondLook) { EXPECT_EQ(found_blocking<mutants::gate_without_look>(2), "lost wake-up"); }
TEST(GateMutant, WakesNobody) { EXPECT_EQ(found_blocking<mutants::gate_that_wakes_nobody>(2), "lost wake-up"); }
TEST(GateMutant, GuardedAtOnce) {
  EXPECT_EQ((found_blocking<mutants::gate_guarded_in_haste<mutants::haste::at_once>>(3)), "lost wake-up");
}
TEST(GateMutant, GuardedOfAnAnnouncementAfterTheFence) {
  EXPECT_EQ((found_blocking<mutants::gate_guarded_in_haste<mutants::haste::announced_anew>>(2)), "lost wake-up");
}
TEST(GateMutant, FlagInsteadOfACounter) { EXPECT_EQ(found_blocking<mutants::gate_with_flag>(3), "lost wake-up"); }

}  // namespace
