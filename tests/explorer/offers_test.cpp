// The offers of queues in every interleaving: where a task is left in a queue, the queue is offered.
#include "openmp/tasks/offers.hpp"

#include <gtest/gtest.h>

#include "openmp/tasks/deque.hpp"
#include "orders.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;

struct item;
item* some_item() { return reinterpret_cast<item*>(std::uintptr_t{1}); }

/// What may be left out: the owner's fence before it reads the offers, the thief's look after it has withdrawn one.
enum class without { nothing, fence, look };

/// Member 0 adds tasks, member 1 steals, and withdraws the queue where it finds it empty.
template <class Machine, without left_out>
struct queue {
  static constexpr unsigned members = 2;
  weir::openmp::deque<Machine, item, 3> tasks;
  weir::openmp::offers<Machine> offers{2};
  explored::word<std::uint32_t> finished{0}, lost{0};

  void own() {
    for (unsigned i = 0; i < 2; ++i) {
      tasks.push(some_item());
      // As task_scheduler::add().
      if constexpr (left_out != without::fence) explored::fence(std::memory_order_seq_cst);
      if (!offers.of(0).is_there()) offers.add(0);
    }
  }
  void steal() {
    if (offers.next(1, 0) == 0) return;
    const auto is_empty = [this] { return tasks.is_empty(); };
    if (tasks.steal([](const item*) { return true; }) == nullptr && is_empty())
      offers.withdraw(0, [&] { return left_out == without::look || is_empty(); });
  }
  void pass(unsigned member) {
    if (member == 0)
      own();
    else
      for (unsigned i = 0; i < 2; ++i) steal();
    if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 < members) return;
    // The search reports a member that waits for ever.
    if (!tasks.is_empty() && !offers.of(0).is_there()) explored::spin(lost, [](std::uint32_t) { return false; });
  }
};

template <without left_out = without::nothing>
subject subject_of() {
  using tested = queue<explored, left_out>;
  subject s;
  s.members = tested::members;
  s.build = []() -> subject::body { return [q = new tested](unsigned member) { q->pass(member); }; };
  return s;
}

class Offers : public testing::TestWithParam<memory_model> {};

TEST_P(Offers, StayWhereATaskIsLeft) {
  const verdict v = explore(subject_of(), {.memory = GetParam()});
  EXPECT_TRUE(v.holds && v.complete) << v.timeline;
}

INSTANTIATE_TEST_SUITE_P(In, Offers, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(OfferMutants, WithoutItsFenceAnOwnerOverlooksThatItsOfferIsGone) {
  EXPECT_TRUE(explore(subject_of<without::fence>(), {.memory = memory_model::sc}).holds);
  EXPECT_FALSE(explore(subject_of<without::fence>(), {.memory = memory_model::tso}).holds);
}

TEST(OfferMutants, AThiefThatDoesNotLookOnceMoreHidesATask) {
  EXPECT_FALSE(explore(subject_of<without::look>(), {.memory = memory_model::sc}).holds);
}

TEST(OfferOrders, EachIsNeeded) {
  using namespace explored_orders;
  const std::string file = "src/openmp/tasks/offers.hpp";
  std::map<site, std::string> written;
  scan(source / file, written);
  expect_needed(written, {{"2 members", subject_of()}}, {});
}

}  // namespace
