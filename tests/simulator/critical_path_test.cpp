// The longest chain of transfers that depend on one another: on chains made by hand, and in the barriers of the table.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "plain_machine.hpp"
#include "simulator/engine.hpp"
#include "simulator/simulated_barriers.hpp"

namespace weir::simulator {
namespace {

using word = simulated_word<std::uint32_t>;

struct alignas(128) line {
  word value{0};
};

/// How many transfers lead to the end of each thread, which has a processor for itself.
std::vector<unsigned> depths(unsigned threads, const std::function<void(unsigned)>& body, unsigned misses = 8,
                             atomics by = atomics::owned) {
  machine_model m = plain::machine(threads);
  m.processor.misses = misses;
  m.processor.store_buffer = 8;
  m.atomic = by;
  std::vector<unsigned> reached(threads);
  engine e(m, schedule{.quantum = m.system.quantum});
  e.add_job("test", threads, 0, 0, [](const job&) {}, [&](unsigned t) {
    body(t);
    reached[t] = engine::here().self().depth;
  });
  e.run();
  return reached;
}

void compute_us(double time) { engine::here().compute(from_us(time)); }
void await(const line& l) {
  simulated::spin(l.value, [](std::uint32_t v) { return v != 0; });
}

// Each polls its line, so a signal is two transfers: to the one who stores, and back.
TEST(CriticalPath, OfAChainOfSignalsIsTwoForEach) {
  constexpr unsigned members = 8;
  std::vector<line> of(members);
  const auto reached = depths(members, [&](unsigned me) {
    if (me == 0) compute_us(1);
    else await(of[me]);
    if (me + 1 < members) of[me + 1].value.store(1);
  });
  EXPECT_EQ(reached, (std::vector<unsigned>{0, 2, 4, 6, 8, 10, 12, 14}));
}

// All lines come at the same time to those who store there later. Nobody looks before there is a signal, and so takes a line
// back.
TEST(CriticalPath, OfSignalsInLinesThatHaveBeenRequestedIsOneForEach) {
  constexpr unsigned members = 8;
  std::vector<line> of(members);
  const auto reached = depths(members, [&](unsigned me) {
    if (me + 1 < members) simulated::request_for_writing(of[me + 1].value);
    compute_us(1 + me);
    if (me != 0) await(of[me]);
    if (me + 1 < members) of[me + 1].value.store(1);
  });
  EXPECT_EQ(reached.back(), members) << "the first request, and a transfer for each signal";
}

/// The root of a tree with two levels, whose leaves have stored long before it looks.
unsigned root_of_tree(unsigned fan_in, unsigned misses) {
  std::vector<line> of(fan_in * fan_in + fan_in);
  const unsigned members = 1 + fan_in + fan_in * fan_in;
  const auto reached = depths(
      members,
      [&](unsigned me) {
        // The children of member 0 are 1 to fan_in, and so on.
        compute_us(me == 0 ? 200 : me <= fan_in ? 100 : 1);
        for (unsigned child = me * fan_in + 1; child <= (me + 1) * fan_in && child < members; ++child) await(of[child - 1]);
        if (me != 0) of[me - 1].value.store(1);
      },
      misses);
  return reached[0];
}

TEST(CriticalPath, OfATreeGrowsWithItsLevelsAndWithTheFanInOnlyIfLoadsWaitForOneAnother) {
  for (const unsigned fan_in : {2u, 3u, 5u}) {
    EXPECT_EQ(root_of_tree(fan_in, 8), 2 * 2) << "to the child who stores, and to the parent, in each level";
    EXPECT_EQ(root_of_tree(fan_in, 1), 2 * (1 + fan_in));
  }
}

TEST(CriticalPath, OfACounterIsAllItsUpdates) {
  for (const atomics by : {atomics::owned, atomics::conditional}) {
    line counter;
    // One after the other, so that no store-conditional fails.
    const auto reached = depths(
        8,
        [&](unsigned me) {
          compute_us(me + 1);
          counter.value.fetch_add(1);
          counter.value.fetch_add(1);  // the line is here
        },
        8, by);
    for (unsigned me = 1; me < 8; ++me) EXPECT_EQ(reached[me], by == atomics::owned ? me + 1 : 2 * me + 1) << me;
  }
}

TEST(CriticalPath, OfReadersOfOneLineDoesNotGrowWithTheirNumber) {
  line flag;
  const auto reached = depths(8, [&](unsigned me) {
    if (me != 0) return await(flag);
    compute_us(1);
    flag.value.store(1);
  });
  EXPECT_EQ(reached, (std::vector<unsigned>{0, 2, 2, 2, 2, 2, 2, 2}));
}

// The second store has its line first, and cannot be seen before the first store.
TEST(CriticalPath, LeadsThroughTheStoreThatAnotherWaitsFor) {
  line far, near;
  const auto reached = depths(6, [&](unsigned me) {
    if (me == 5) return await(near);
    if (me == 4) near.value.store(0);
    compute_us(me + 1);
    if (me < 4) far.value.fetch_add(1);
    if (me != 4) return;
    far.value.store(1);
    near.value.store(1);
  });
  EXPECT_EQ(reached[3], 4u);
  EXPECT_EQ(reached[5], 4u + 1) << "the reader had the line before the value, so that it hits";
}

TEST(CriticalPath, DoesNotGrowWhileAThreadComputesOrHits) {
  line l;
  const auto reached = depths(2, [&](unsigned) {
    for (int i = 0; i < 10; ++i) {
      (void)l.value.load();
      compute_us(1);
    }
  });
  EXPECT_EQ(reached, (std::vector<unsigned>{1, 1}));
}

/// Of one episode, in the mean of many, on chips of eight in boards of 64.
double of_barrier(const registry<simulated>::entry& entry, unsigned members) {
  constexpr unsigned warm_up = 3, episodes = 20;
  machine_model m = cut(read_machine(WEIR_MACHINES "/manycore-1024.toml"), members);
  weir::team t;
  t.members = t.processors = members;
  t.usable = members;
  const auto barrier = entry.make(t, {}, 0);
  unsigned from = 0, to = 0;
  engine e(m, {.quantum = m.system.quantum});
  e.add_job("team", members, 0, 0, [](const job&) {}, [&](unsigned me) {
    for (unsigned i = 0; i < warm_up + episodes; ++i) {
      if (me == 0 && i == warm_up) from = engine::here().self().depth;
      barrier->arrive_and_wait(*barrier, me);
    }
    if (me == 0) to = engine::here().self().depth;
  });
  e.run();
  return static_cast<double>(to - from) / episodes;
}

double of_barrier(const std::string& name, unsigned members) {
  const auto entries = registry<simulated>::algorithms();
  return of_barrier(entries[registry<simulated>::find(entries, name, "barrier")], members);
}

// A signal to one who polls is two transfers, and dissemination has log P rounds.
TEST(CriticalPath, OfBarriersIsAsOnPaper) {
  for (const unsigned rounds : {3u, 5u, 7u}) {
    const unsigned members = 1u << rounds;
    EXPECT_NEAR(of_barrier("dissemination", members), 2 * rounds, 0.1) << members;
    EXPECT_NEAR(of_barrier("butterfly", members), 2 * rounds, 0.1) << members;
    EXPECT_NEAR(of_barrier("tournament", members), 2 * rounds + 2, 0.1) << members << ": and all read one flag";
    EXPECT_NEAR(of_barrier("counter", members), members, 0.1) << members;
    EXPECT_NEAR(of_barrier("sense", members), members + 1, 0.1) << members << ": and all read one flag";
  }
}

TEST(CriticalPath, OfBarriersGrowsWithTheLogarithmOfTheTeamIfTheirTableSaysSo) {
  for (const auto& entry : registry<simulated>::algorithms()) {
    if (!entry.logarithmic) continue;
    for (const unsigned doublings : {3u, 5u, 7u, 9u})
      EXPECT_LE(of_barrier(entry, 1u << doublings), 4.5 * doublings) << entry.name << ", 2^" << doublings;
  }
}

}  // namespace
}  // namespace weir::simulator
