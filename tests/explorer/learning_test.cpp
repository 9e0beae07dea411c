// How members of a learning barrier hear which barrier comes next, in every interleaving: all pass the same one.
#include "barriers/learning.hpp"

#include <gtest/gtest.h>

#include <weir/barriers/counter.hpp>
#include <weir/barriers/sense.hpp>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;

template <template <class, template <class> class> class Algorithm>
struct one final : weir::any_barrier {
  explicit one(const weir::team& t)
      : any_barrier([](any_barrier& self, unsigned member) { static_cast<one&>(self).algorithm.arrive_and_wait(member); }),
        algorithm(t) {}
  void arrive_and_wait_completing(unsigned, const weir::completion_call&, weir::completed_by) override {}
  std::size_t bytes() const override { return 0; }
  Algorithm<explored, weir::waiting::spin> algorithm;
};

std::vector<std::unique_ptr<weir::any_barrier>> two(const weir::team& t) {
  std::vector<std::unique_ptr<weir::any_barrier>> both;
  both.push_back(std::make_unique<one<weir::barriers::sense>>(t));
  both.push_back(std::make_unique<one<weir::barriers::counter>>(t));
  return both;
}

template <unsigned Episodes>
class in_turn {
 public:
  explicit in_turn(unsigned) {}
  static weir::stretch first() { return {0, Episodes}; }
  weir::stretch next() { return {now_ = 1 - now_, Episodes}; }
  void left() {}

 private:
  unsigned now_ = 0;
};

/// Stretches of `Episodes` episodes, by two barriers in turn.
template <unsigned Episodes>
struct learner {
  explicit learner(const weir::team& t) : learning(t.members, two(t)) {}
  void arrive_and_wait(unsigned member) { learning.arrive_and_wait(learning, member); }
  weir::learning<explored, in_turn<Episodes>> learning;
};

/// The same in short, in which member 0 says what follows before it arrives, or after it has left.
template <bool Late>
struct teller {
  explicit teller(const weir::team& t) : barriers(two(t)), seats(t.members) {}
  void arrive_and_wait(unsigned member) {
    seat& me = seats[member];
    const bool is_last = --me.left == 0;
    if (is_last && member == 0 && !Late) tell(1 - me.barrier);
    barriers[me.barrier]->arrive_and_wait(*barriers[me.barrier], member);
    if (!is_last) return;
    if (member == 0 && Late) tell(1 - me.barrier);
    me = {next.load(std::memory_order_relaxed), 2};
  }
  void tell(unsigned barrier) { next.store(barrier, std::memory_order_relaxed); }
  struct alignas(weir::line_bytes) seat {
    unsigned barrier = 0, left = 2;
  };
  const std::vector<std::unique_ptr<weir::any_barrier>> barriers;
  std::vector<seat> seats;
  explored::word<std::uint32_t> next{0};
};

template <class Barrier>
verdict searched(unsigned members, unsigned episodes, memory_model memory) {
  weir::team t;
  t.members = t.processors = members;
  t.usable = members;
  return explore(meeting(members, episodes, [t] { return std::make_unique<Barrier>(t); }), {.memory = memory});
}

class Learning : public testing::TestWithParam<memory_model> {};

TEST_P(Learning, AllMembersPassTheSameBarrier) {
  for (const auto& [members, episodes] : {std::pair{2u, 7u}, {3u, 3u}}) {
    const verdict v = searched<learner<2>>(members, episodes, GetParam());
    EXPECT_TRUE(v.holds && v.complete) << members << " members\n" << v.timeline;
  }
  EXPECT_TRUE(searched<teller<false>>(2, 5, GetParam()).holds);
}

INSTANTIATE_TEST_SUITE_P(In, Learning, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(LearningMutants, AStretchOfOneEpisodeIsTooShort) { EXPECT_FALSE(searched<learner<1>>(2, 3, memory_model::sc).holds); }

TEST(LearningMutants, MemberZeroSaysItBeforeItArrives) { EXPECT_FALSE(searched<teller<true>>(2, 3, memory_model::sc).holds); }

}  // namespace
