// Budgets of wake-ups: members that have waited for 5 ms sleep, and those who release them wake them, along the same trees. Each
// member is woken once, and the longest chain of wake-ups, each after the one before, grows with the logarithm of the team.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "simulator/engine.hpp"
#include "simulator/openmp/weirs_team.hpp"
#include "simulator/simulated.hpp"

namespace weir::simulator::openmp {
namespace {

const time longer_than_awake = from_us(6000);  // longer than automatic_constants::longest_awake

struct wake_ups {
  double woken = 0;   // threads, for one directive
  unsigned path = 0;  // the longest chain
};

wake_ups counted(unsigned directives) {
  wake_ups counts;
  for (const thread& t : engine::here().threads()) counts.path = std::max(counts.path, t.wakes);
  counts.woken = static_cast<double>(engine::here().system().woken) / directives;
  return counts;
}

/// What `what(team)`, member 0's code, has counted on the machine that has a processor for each of `members`.
wake_ups on_a_team(unsigned members, const std::function<wake_ups(weirs_team&)>& what) {
  const machine_model m = cut(read_machine(WEIR_MACHINES "/manycore-1024.toml"), members);
  weirs_team t(m, members);
  engine e(m, {.quantum = m.system.quantum});
  wake_ups counts;
  e.add_job("team", members, 0, 0, [](const job&) {}, [&](unsigned member) {
    if (member != 0) return t.work(member);
    counts = what(t);
    t.dismiss();
  });
  e.run();
  return counts;
}

/// The workers sleep when a region begins.
wake_ups of_a_region(unsigned members) {
  return on_a_team(members, [](weirs_team& t) {
    for (unsigned r = 0; r < 2; ++r) {
      engine::here().compute(longer_than_awake);
      engine::here().forget_counts();
      t.parallel([](unsigned) { engine::here().compute(from_ns(100)); });
    }
    return counted(1);
  });
}

/// All members but the last to arrive sleep at a barrier.
wake_ups of_a_barrier(unsigned members) {
  return on_a_team(members, [](weirs_team& t) {
    t.parallel([&](unsigned me) {
      for (unsigned b = 0; b < 2; ++b) {
        if (me == 0) {
          engine::here().compute(longer_than_awake);
          engine::here().forget_counts();
        }
        t.barrier(me);
      }
    });
    return counted(1);
  });
}

/// All members but one wait, asleep, for their turns.
wake_ups of_a_turn(unsigned members) {
  return on_a_team(members, [&](weirs_team& t) {
    wake_ups counts;
    t.parallel([&](unsigned me) {
      t.begin_loop(me, {weir::openmp::schedule_kind::static_, 4 * members, 1, true, true});
      while (const auto turn = t.next_ordered_chunk(me)) {
        t.begin_ordered(me);
        if (turn.begin == 3 * members) counts = counted(members);
        engine::here().compute(longer_than_awake);
        if (turn.begin == 2 * members) engine::here().forget_counts();
      }
      t.end_loop(me);
    });
    counts.path = 0;  // the turns are one chain
    return counts;
  });
}

/// The same of a doacross nest.
wake_ups of_a_post(unsigned members) {
  return on_a_team(members, [&](weirs_team& t) {
    wake_ups counts;
    t.parallel([&](unsigned me) {
      t.begin_doacross(me, 4 * members);
      for (unsigned i = me; i < 4 * members; i += members) {
        if (i > 0) t.wait_for_post(i - 1);
        if (i == 3 * members) counts = counted(members);
        engine::here().compute(longer_than_awake);
        if (i == 2 * members) engine::here().forget_counts();
        t.post(i);
      }
      t.end_doacross();
    });
    counts.path = 0;
    return counts;
  });
}

struct budget {
  const char* name;
  wake_ups (*of)(unsigned members);
  unsigned members;
  double woken;
  unsigned path;
};
std::ostream& operator<<(std::ostream& out, const budget& b) { return out << b.name << ", " << b.members << " threads"; }

class WakeUps : public testing::TestWithParam<budget> {};
TEST_P(WakeUps, AreKept) {
  const budget& b = GetParam();
  const wake_ups counts = b.of(b.members);
  EXPECT_LE(counts.woken, b.woken);
  EXPECT_GE(counts.woken, 0.9 * b.woken) << "lower the budget";
  EXPECT_LE(counts.path, b.path);
  EXPECT_GE(counts.path, 0.9 * b.path) << "lower the budget";
}
INSTANTIATE_TEST_SUITE_P(
    Of, WakeUps,
    testing::Values(
        // The first 15 workers sleep at one line, and are woken by one call, one after the other.
        budget{"region", of_a_region, 8, 7, 7}, budget{"region", of_a_region, 32, 31, 17},
        budget{"region", of_a_region, 128, 127, 22}, budget{"barrier", of_a_barrier, 8, 7, 3},
        budget{"barrier", of_a_barrier, 32, 31, 10}, budget{"barrier", of_a_barrier, 128, 127, 13},
        // Up to 8 threads sleep at one word, and all are woken. In a larger team each turn has a word, which
        // a hash chooses: at some words two threads sleep, and one of them is woken in vain.
        budget{"turn", of_a_turn, 8, 7, 0}, budget{"turn", of_a_turn, 32, 1.4, 0}, budget{"turn", of_a_turn, 128, 1.4, 0},
        // The same of the gates at which threads wait for posts.
        budget{"post", of_a_post, 8, 7, 0}, budget{"post", of_a_post, 32, 1.4, 0}, budget{"post", of_a_post, 128, 1.4, 0}),
    [](const auto& of) { return std::string(of.param.name) + "_" + std::to_string(of.param.members); });

}  // namespace
}  // namespace weir::simulator::openmp
