// Reductions along a tree in every interleaving: member 0 gets the sum of all values, and no member changes its value before its
// parent has read it.
#include "openmp/reductions/along_tree.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "orders.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using value = explored::word<std::uint32_t>;

/// Which member combines whose values: members 1 and 2 are children of member 0, or member 2 is one of member 1.
enum class tree { flat, chain };
struct shape {
  tree is;
  bool at_once;
  unsigned reductions;
  bool asleep = true;  // does a member that waits sleep?
};
/// What may be left out: that a member waits until its values have been read, and the opening of gates.
enum class without { nothing, taken, opening };

template <without left_out>
struct team {
  static constexpr unsigned size = 3;
  struct gate : explored::gate {
    void open() {
      if (left_out != without::opening) explored::gate::open();
    }
  };
  struct member {
    team* of;
    unsigned number;
    std::uint32_t reductions = 0;
    explored::word<std::uint32_t> offered{0}, taken{0};
    value* values;
    gate reduction_gate;
  };
  struct branch {
    std::initializer_list<unsigned> children;
    unsigned parent;
    auto begin() const { return children.begin(); }
    auto end() const { return children.end(); }
  };
  struct {
    tree is;
    branch of(unsigned m) const {
      static constexpr std::initializer_list<unsigned> none{}, both{1, 2}, first{1}, second{2};
      if (is == tree::flat) return {m == 0 ? both : none, 0};
      return {m == 0 ? first : m == 1 ? second : none, m == 2 ? 1u : 0u};
    }
  } reduction;
  const shape form;
  member members[size];
  value values[size]{0, 0, 0}, never{0};

  explicit team(const shape& s) : reduction{s.is}, form(s) {
    for (unsigned m = 0; m < size; ++m) {
      members[m].of = this;
      members[m].number = m;
      members[m].values = &values[m];  // before: what is no word is each member's own here
    }
  }

  void pass(unsigned number) {
    member& me = members[number];
    // relaxed: the reduction orders the values.
    const auto add = [](value* into, const value* from) {
      into->store(into->load(std::memory_order_relaxed) + from->load(std::memory_order_relaxed), std::memory_order_relaxed);
    };
    const auto await = [this](member& who, const explored::word<std::uint32_t>& word, std::uint32_t wanted) {
      if (left_out == without::taken && &word == &who.taken) return;
      if (!form.asleep) return explored::spin(word, [wanted](std::uint32_t now) { return now == wanted; });
      const auto is_ready = [&] { return word.load(std::memory_order_acquire) == wanted; };
      while (!is_ready()) who.reduction_gate.sleep_unless(is_ready);
    };
    for (unsigned r = 1; r <= form.reductions; ++r) {
      constexpr std::uint32_t of_each[] = {1, 10, 100};
      values[number].store(r * of_each[number], std::memory_order_relaxed);
      if (!weir::openmp::combine_along_tree(me, &values[number], add, form.at_once, await)) continue;
      // The search reports a member that waits for ever.
      if (values[0].load(std::memory_order_relaxed) != r * 111) explored::spin(never, [](std::uint32_t) { return false; });
      if (!form.at_once) weir::openmp::release_reduction(me);
    }
  }
};

template <without left_out = without::nothing>
subject of(const shape& form) {
  subject s;
  s.members = team<left_out>::size;
  s.build = [form]() -> subject::body { return [t = new team<left_out>(form)](unsigned member) { t->pass(member); }; };
  return s;
}

class Reductions : public testing::TestWithParam<memory_model> {};

TEST_P(Reductions, AddTheValuesOfAll) {
  // More have too many states for a test.
  const unsigned most = GetParam() == memory_model::weak ? 1 : 2;
  std::vector<shape> shapes;
  for (const tree is : {tree::flat, tree::chain})
    for (const bool at_once : {true, false}) {
      shapes.push_back({is, at_once, most, false});
      if (GetParam() != memory_model::weak) shapes.push_back({is, at_once, 1, true});
    }
  for (const shape& form : shapes) {
    const verdict v = explore(of(form), {.memory = GetParam()});
    EXPECT_TRUE(v.holds && v.complete) << (form.at_once ? "at once" : "released later") << '\n' << v.timeline;
  }
}

INSTANTIATE_TEST_SUITE_P(In, Reductions, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(ReductionMutants, AMemberThatDoesNotWaitChangesAValueTooEarly) {
  EXPECT_FALSE(explore(of<without::taken>({tree::flat, true, 2}), {.memory = memory_model::sc}).holds);
}

TEST(ReductionMutants, AMemberWhoseGateIsNotOpenedSleepsForEver) {
  EXPECT_FALSE(explore(of<without::opening>({tree::flat, true, 1}), {.memory = memory_model::sc}).holds);
}

TEST(ReductionOrders, EachIsNeeded) {
  using namespace explored_orders;
  std::map<site, std::string> written;
  scan(source / "src/openmp/reductions/along_tree.hpp", written);
  expect_needed(written, {{"chain", of({tree::chain, true, 1, false})}}, {});
}

}  // namespace
