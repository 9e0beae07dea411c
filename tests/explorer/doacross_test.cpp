// The posts of a doacross nest in every interleaving: an iteration goes on when those that it waits for have posted, and whoever
// sleeps is woken.
#include "openmp/teams/posts.hpp"

#include <gtest/gtest.h>

#include <weir/machine/native.hpp>

#include "orders.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;

/// Iteration i belongs to member i modulo `owners`, and waits for i - 1. Those beyond `members` have left a cancelled region.
struct shape {
  unsigned members, owners, iterations;
  bool apart = false;
};
constexpr shape two{2, 2, 4}, two_apart{2, 2, 4, true}, three{3, 3, 4}, three_apart{3, 3, 4, true}, one_has_left{2, 3, 5};

template <class Machine>
struct nest {
  static constexpr unsigned most = 5, across = 2;
  const shape form;
  using posts = weir::openmp::posts<Machine, across, 1>;
  typename posts::byte bytes[2 * across * across]{};
  posts iterations;
  explored::word<std::uint32_t> done{0}, never{0};

  explicit nest(const shape& s) : form(s) {
    iterations.posted = bytes;
    if (s.apart) iterations.begin(s.members, true);
  }
  bool has_left(std::uint64_t iteration) const { return iteration % form.owners >= form.members; }
  void pass(unsigned member) {
    const auto asleep = [](const auto& word, auto& gate, auto ready) {
      const auto is_ready = [&] { return ready(word.load(std::memory_order_acquire)); };
      while (!is_ready()) gate.sleep_unless(is_ready);
    };
    for (std::uint64_t i = member; i < form.iterations; i += form.owners) {
      if (i != 0) iterations.wait_for(i - 1, [&] { return has_left(i - 1); }, asleep);
      // relaxed: the posts order what the iterations do. The search reports a member that waits for ever.
      if (form.owners == form.members && done.load(std::memory_order_relaxed) != i)
        explored::spin(never, [](std::uint32_t) { return false; });
      done.store(static_cast<std::uint32_t>(i + 1), std::memory_order_relaxed);
      iterations.post(i);
    }
  }
};

template <class Machine = explored>
subject of(const shape& form) {
  subject s;
  s.members = form.members;
  s.build = [form]() -> subject::body { return [n = new nest<Machine>(form)](unsigned member) { n->pass(member); }; };
  return s;
}

class Doacross : public testing::TestWithParam<memory_model> {};

TEST_P(Doacross, IterationsFollowThoseThatTheyWaitFor) {
  for (const shape& form : {two, two_apart, three, three_apart, one_has_left}) {
    if (GetParam() == memory_model::weak && form.members > 2) continue;  // too many states for a test
    const verdict v = explore(of(form), {.memory = GetParam()});
    EXPECT_TRUE(v.holds && v.complete) << form.members << " of " << form.owners << (form.apart ? ", apart" : "") << '\n'
                                       << v.timeline;
  }
}

INSTANTIATE_TEST_SUITE_P(In, Doacross, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(DoacrossOrders, EachIsNeeded) {
  using namespace explored_orders;
  std::map<site, std::string> written;
  scan(source / "src/openmp/teams/posts.hpp", written);
  expect_needed(written, {{"2 members", of({2, 2, 3})}, {"2 members, apart", of({2, 2, 3, true})}}, {});
}

struct never_opens : explored {
  struct gate : explored::gate {
    static void open() {}
  };
};
TEST(DoacrossMutants, AMemberWhoseGateIsNotOpenedSleepsForEver) {
  for (const shape& form : {two, two_apart}) EXPECT_FALSE(explore(of<never_opens>(form), {.memory = memory_model::sc}).holds);
}

/// A nest too large for one page, whose bytes are all different.
TEST(Doacross, EachIterationHasAByte) {
  using posts = weir::openmp::posts<weir::native, 4>;
  std::atomic<std::uint8_t> bytes[3 * posts::in_page]{};
  posts iterations;
  iterations.posted = bytes;
  iterations.apart = true;
  ASSERT_EQ(posts::pages(1), 1u);
  ASSERT_EQ(posts::pages(3 * posts::in_page), 3u);
  for (std::uint64_t i = 0; i < 3 * posts::in_page; ++i) {
    ASSERT_LT(static_cast<std::size_t>(&iterations.of(i) - bytes), std::size(bytes));
    EXPECT_EQ(iterations.of(i).exchange(1), 0) << i;
  }
}

}  // namespace
