// The turns of an ordered loop in every interleaving: the iterations come one after the other, whoever waits asleep is woken, and
// a turn is passed over where its member has left.
#include "openmp/worksharing/chunks.hpp"

#include <gtest/gtest.h>

#include "openmp/teams/turns.hpp"
#include "orders.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"
#include "word_mutants.hpp"

namespace {

using namespace weir::explorer;
using weir::openmp::iterations;

/// Iteration i belongs to member i modulo `owners`. Those beyond `members` have left a cancelled region.
struct shape {
  unsigned members, owners, trips, loops = 1;
};
constexpr shape two{2, 2, 3}, three{3, 3, 3}, again{2, 2, 2, 2}, one_has_left{2, 3, 5};

/// `Few`: in larger teams each turn has a line of its own.
template <class Machine, unsigned Few>
struct ordered_loop {
  struct in_common {
    weir::openmp::turns<Machine, Few> ordered;
  };
  struct member {
    in_common* in_loop;
    iterations chunk;
  };
  const shape form;
  in_common common;
  explored::word<std::uint32_t> begun[2]{0, 0}, done[2]{0, 0}, next{0}, never{0};

  explicit ordered_loop(const shape& s) : form(s) { common.ordered.make_lines(form.members); }

  /// The search reports a member that waits for ever.
  void check(bool holds) {
    if (!holds) explored::spin(never, [](std::uint32_t) { return false; });
  }
  static void wait(const auto& word, auto& gate, auto ready) {
    const auto is_ready = [&] { return ready(word.load(std::memory_order_acquire)); };
    while (!is_ready()) gate.sleep_unless(is_ready);
  }
  bool has_left(std::uint64_t iteration) const { return iteration % form.owners >= form.members; }
  void together(explored::word<std::uint32_t>& count) {
    count.fetch_add(1, std::memory_order_acq_rel);
    explored::spin(count, [this](std::uint32_t n) { return n == form.members; });
  }
  void pass(unsigned number) {
    member me{&common, {}};
    for (unsigned loop = 0; loop < form.loops; ++loop) {
      // All store the same, since what is no word is each member's own here. Natively one member begins, behind the slot.
      common.ordered.begin(form.trips, form.members);
      together(begun[loop]);
      for (std::uint64_t i = number; i < form.trips; i += form.owners) {
        me.chunk = {i, i + 1};
        weir::openmp::wait_for_turn(
            me, [this](std::uint64_t now) { return now < form.trips && has_left(now); },
            [](std::uint64_t now) { return now + 1; }, [](auto&&... with) { wait(with...); });
        // relaxed: a turn orders what is done in it.
        std::uint64_t before = i;
        while (before != 0 && has_left(before - 1)) --before;
        check(next.load(std::memory_order_relaxed) == loop * form.trips + before);
        next.store(static_cast<std::uint32_t>(loop * form.trips + i + 1), std::memory_order_relaxed);
        weir::openmp::pass_turn(me);
      }
      together(done[loop]);
    }
  }
};

template <class Machine, unsigned Few>
subject of(const shape& form) {
  subject s;
  s.members = form.members;
  s.build = [form]() -> subject::body {
    return [l = new ordered_loop<Machine, Few>(form)](unsigned member) { l->pass(member); };
  };
  return s;
}
constexpr unsigned in_common = 8, apart = 1;

class Turns : public testing::TestWithParam<memory_model> {};

TEST_P(Turns, ComeOneAfterTheOtherToMembersThatSleep) {
  const auto expect = [](const subject& s, const char* what) {
    const verdict v = explore(s, {.memory = GetParam()});
    EXPECT_TRUE(v.holds && v.complete) << what << '\n' << v.timeline;
  };
  for (const shape& form : {two, three, again}) {
    if (GetParam() == memory_model::weak && &form != &two) continue;
    expect(of<explored, in_common>(form), "one line");
    expect(of<explored, apart>(form), "lines apart");
  }
  expect(of<explored, in_common>(one_has_left), "one has left");
}

INSTANTIATE_TEST_SUITE_P(In, Turns, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(TurnsOrders, EachIsNeededOrHasAReason) {
  using namespace explored_orders;
  std::map<site, std::string> written;
  const std::string file = "src/openmp/worksharing/chunks.hpp";
  constexpr const char* passed_over =
      "} else if (turn.done.compare_exchange_strong(now, end_of(now), std::memory_order_acq_rel)) {";
  const std::vector<kept> table{{file, passed_over, order::acquire, "an update goes on with what the turn before has released"},
                                {file, passed_over, order::release, "the load before it has acquired the same value"}};
  scan(source / file, written);
  std::erase_if(written, [](const auto& each) { return each.second.find(".done.") == std::string::npos; });
  ASSERT_EQ(written.size(), 3u);
  expect_needed(written, {{"2 members, one line", of<explored, in_common>(two)},
                          {"2 members, lines apart", of<explored, apart>(two)},
                          {"one has left", of<explored, in_common>(one_has_left)}}, table);
}

struct never_opens : explored {
  struct gate : explored::gate {
    static void open() {}
  };
};
TEST(TurnsMutants, AMemberWhoseGateIsNotOpenedSleepsForEver) {
  EXPECT_FALSE((explore(of<never_opens, in_common>(two), {.memory = memory_model::sc}).holds));
  EXPECT_FALSE((explore(of<never_opens, apart>(two), {.memory = memory_model::sc}).holds));
}

TEST(TurnsMutants, ATurnThatIsPassedOverWithoutComparingComesTwice) {
  EXPECT_FALSE((explore(of<takes_without_comparing, in_common>(one_has_left), {.memory = memory_model::sc}).holds));
}

}  // namespace
