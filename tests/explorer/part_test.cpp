// Divided loops in every interleaving: each chunk is taken once, and none is lost.
#include "openmp/teams/part.hpp"

#include <gtest/gtest.h>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"
#include "word_mutants.hpp"

namespace {

using namespace weir::explorer;
using weir::openmp::chunks;
using weir::openmp::division;

/// Members that take from their own parts, `at_a_time` chunks, and then steal until they find all parts empty, in several rounds.
struct shape {
  unsigned members, chunks, at_a_time = 1, rounds = 1;
};

template <class Machine>
struct divided {
  static constexpr unsigned most_members = 3, most_chunks = 8;
  const shape form;
  weir::openmp::part<Machine> parts[most_members];
  typename explored::word<std::uint32_t> taken[most_chunks]{}, arrived[3]{}, lost{0};

  explicit divided(const shape& s) : form(s) {}

  static void wait_for_ever(const typename explored::word<std::uint32_t>& w) {
    explored::spin(w, [](std::uint32_t) { return false; });
  }
  void take(chunks them, unsigned round) {
    // More than once: the search reports a member that waits for ever.
    for (std::uint32_t c = them.begin; c < them.end; ++c)
      if (taken[c].fetch_add(1, std::memory_order_relaxed) != round) wait_for_ever(lost);
  }
  void pass(unsigned me, unsigned round, const division& d) {
    const auto count = [this](std::uint32_t) { return form.at_a_time; };
    for (;;) {
      chunks them = parts[me].take(d, me, count);
      for (unsigned i = 1; i < form.members && !them; ++i) {
        them = parts[(me + i) % form.members].steal(d, (me + i) % form.members);
        if (!them) continue;
        const std::uint32_t cut = std::min(them.begin + form.at_a_time, them.end);
        parts[me].keep(d, {cut, them.end});
        them.end = cut;
      }
      if (!them) break;
      take(them, round);
    }
    // As at the end of a loop: nobody begins the next one in the same slot before all have left.
    arrived[round].fetch_add(1, std::memory_order_acq_rel);
    explored::spin(arrived[round], [this](std::uint32_t n) { return n == form.members; });
    for (unsigned c = 0; c < form.chunks; ++c)
      if (taken[c].load(std::memory_order_relaxed) <= round) wait_for_ever(lost);
  }
  void run(unsigned me) {
    division d;
    for (unsigned round = 0; round < form.rounds; ++round) {
      d.divide(form.chunks, form.members);
      pass(me, round, d);
    }
  }
};

template <class Machine>
verdict searched(const shape& form, memory_model memory = memory_model::sc) {
  subject s;
  s.members = form.members;
  s.build = [form]() -> subject::body {
    return [l = new divided<Machine>(form)](unsigned member) { l->run(member); };
  };
  return explore(s, {.memory = memory});
}

class Part : public testing::TestWithParam<memory_model> {};

TEST_P(Part, EachChunkIsTakenOnce) {
  for (const shape& form : {shape{2, 2}, shape{2, 3}, shape{2, 4}, shape{2, 1}, shape{2, 5, 2}, shape{3, 2}, shape{3, 3}}) {
    const verdict v = searched<explored>(form, GetParam());
    EXPECT_TRUE(v.holds && v.complete) << form.members << " members, " << form.chunks << " chunks";
  }
}

TEST_P(Part, NobodySetsThePartsUp) {
  for (const shape& form : {shape{2, 2, 1, 3}, shape{2, 3, 1, 2}, shape{2, 1, 1, 3}}) {
    const verdict v = searched<explored>(form, GetParam());
    EXPECT_TRUE(v.holds && v.complete) << form.members << " members, " << form.chunks << " chunks";
  }
}

INSTANTIATE_TEST_SUITE_P(In, Part, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

/// Mutants: a machine whose words are not what a part asks for.
constexpr std::uint64_t round_bits = std::uint64_t{3} << 62;
template <class T>
struct word_without_a_round : explored::word<T> {
  using explored::word<T>::word;
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order asked) {
    T masked = expected & ~T{round_bits};
    const bool same = explored::word<T>::compare_exchange_strong(masked, wanted & ~T{round_bits}, asked);
    expected = masked | (expected & T{round_bits});
    return same;
  }
};
struct forgets_the_round : explored {
  template <class T>
  using word = word_without_a_round<T>;
};

TEST(PartMutants, AMemberThatDoesNotCompareTakesAChunkTwice) {
  EXPECT_FALSE(searched<takes_without_comparing>({.members = 2, .chunks = 2}).holds);
}

TEST(PartMutants, WithoutTheRoundAPartSeemsWhole) {
  EXPECT_FALSE(searched<forgets_the_round>({.members = 2, .chunks = 2}).holds);
}

}  // namespace
