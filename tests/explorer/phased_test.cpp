// The core of the standard, C and POSIX interfaces when a team changes: a member leaves it, or another team gets the core.
#include <gtest/gtest.h>

#include <weir/barriers/phased.hpp>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;

/// Two members; one phase too many makes a member wait for ever.
struct pair {
  weir::barriers::phased<explored> core{2, false};
  explored::word<std::uint32_t> phases{0};

  bool arrives_last(std::uint32_t most_phases) {
    const auto a = core.arrive(1, [&] {
      if (phases.fetch_add(1) >= most_phases) explored::spin(phases, [](std::uint32_t) { return false; });
    });
    if (!a.last) core.wait(a.of);
    return a.last;
  }
};

subject two(void (*body)(pair&, unsigned member)) {
  subject s;
  s.members = 2;
  s.build = [body]() -> subject::body { return [p = std::make_shared<pair>(), body](unsigned member) { body(*p, member); }; };
  return s;
}

void expect_holds(const subject& s) {
  for (const auto memory : {memory_model::sc, memory_model::tso}) {
    const verdict v = explore(s, {.memory = memory});
    EXPECT_TRUE(v.holds && v.complete) << v.timeline;
  }
}

TEST(Phased, EndsAPhaseOnceWhereAMemberLeavesTheTeam) {
  expect_holds(two([](pair& p, unsigned member) {
    if (member == 1) p.core.drop();
    p.arrives_last(1);
  }));
}

// As barrier.h allows: a thread whose wait has ended destroys the barrier, and the next barrier, of one thread, reuses its core.
TEST(Phased, EndsAPhaseOnceWhereTheCoreBecomesAnotherTeams) {
  expect_holds(two([](pair& p, unsigned) {
    if (!p.arrives_last(2)) return;
    p.core.reuse(1, false);
    if (!p.arrives_last(2)) explored::spin(p.phases, [](std::uint32_t) { return false; });
  }));
}

}  // namespace
