// What is said about a group of members at the end of a loop, in every interleaving: a group with a rest is not called exhausted.
#include "openmp/teams/loop_end.hpp"

#include <gtest/gtest.h>

#include <weir/machine/native.hpp>

#include "openmp/worksharing/divided_loop.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using namespace weir::openmp;

struct small_team;
struct member {
  const small_team* of;
  unsigned number;
  std::uint32_t loops = 1;
  loop_plan plan;
  iterations chunk, claimed;
  std::uint32_t last_claim = 1;
  struct {
    loop_end<explored> end;
  }* in_loop = nullptr;
  division divisions[slots_in_turn];
  part<explored> parts[slots_in_turn];
  loop_end<explored> ends[slots_in_turn];
};

/// Two groups of members. All parts are empty; one member of the second group keeps what it has stolen, while another looks for
/// work.
struct small_team {
  static constexpr unsigned size = 10, keeps = 8, looks = 9;
  member* members = nullptr;
};
struct loop : small_team {
  member of_each[size];
  std::remove_pointer_t<decltype(member::in_loop)> shared;
  explored::word<std::uint32_t> finished{0}, hidden{0};

  loop() {
    members = of_each;
    for (unsigned m = 0; m < size; ++m) {
      of_each[m].of = this;
      of_each[m].number = m;
      of_each[m].in_loop = &shared;
      divided::division_of(of_each[m]).divide(0, size);
    }
  }
  void pass(unsigned who) {
    if (who == 0)
      divided::keep(of_each[keeps], {10, 20});
    else
      (void)divided::stolen(of_each[looks]);
    if (finished.fetch_add(1, std::memory_order_acq_rel) == 0) return;
    const bool has_rest = bool{of_each[keeps].parts[0].steal(of_each[keeps].divisions[0], keeps)};
    // The search reports a member that waits for ever.
    if (has_rest && of_each[keeps].ends[0].has(0, loop_end<explored>::exhausted))
      explored::spin(hidden, [](std::uint32_t) { return false; });
  }
};

TEST(LoopEnd, HidesNoRest) {
  subject s;
  s.members = 2;
  s.build = []() -> subject::body { return [l = new loop](unsigned who) { l->pass(who); }; };
  const verdict v = explore(s, {.memory = memory_model::sc});  // in weaker memory it may hide one for some time
  EXPECT_TRUE(v.holds && v.complete) << v.timeline;
}

TEST(LoopEnd, KnowsNothingOfOtherLoops) {
  loop_end<weir::native> end;
  for (const std::uint32_t loop : {7u, 15u}) {
    EXPECT_FALSE(end.has(loop, end.exhausted));
    EXPECT_TRUE(end.note(loop, end.last_taken));
    EXPECT_FALSE(end.note(loop, end.last_taken));
    EXPECT_FALSE(end.has(loop, end.exhausted));
    EXPECT_TRUE(end.note(loop, end.exhausted));
    EXPECT_TRUE(end.has(loop, end.exhausted));
    EXPECT_TRUE(end.forget(loop, end.exhausted));
    EXPECT_TRUE(end.has(loop, end.last_taken));
    EXPECT_TRUE(end.note(loop, end.exhausted));
  }
}

}  // namespace
