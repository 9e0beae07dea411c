// The search for tasks of others in every interleaving: each task is taken once, and where one is left its queue is offered. One
// owner, two thieves.
#include "openmp/tasks/stealing.hpp"

#include <gtest/gtest.h>

#include "openmp/tasks/deque.hpp"
#include "openmp/tasks/offers.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"
#include "word_mutants.hpp"

namespace {

using namespace weir::explorer;
using weir::openmp::search;

/// Nobody asks for the parents of tasks here.
struct item {
  struct {
    static std::uint32_t load(std::memory_order) { return 0; }
  } depth;
  struct {
    static const item* load(std::memory_order) { return nullptr; }
  } parent;
};
constexpr unsigned most_items = 2;
// Their addresses are values of words, and must be the same in each schedule.
item* item_of(unsigned number) { return reinterpret_cast<item*>(std::uintptr_t{number} + 1); }
std::size_t number_of(const item* it) { return reinterpret_cast<std::uintptr_t>(it) - 1; }

/// Where the thieves stand, and whether an empty queue is withdrawn at the next look in vain.
struct shape {
  unsigned thieves[2];
  bool everywhere = false, withdraw = false;
  unsigned items = most_items;
};

/// A thief that withdraws a queue's offer does not look once more.
struct hasty : weir::openmp::offers<explored> {
  using weir::openmp::offers<explored>::offers;
  template <class IsEmpty>
  bool withdraw(unsigned member, IsEmpty) {
    return weir::openmp::offers<explored>::withdraw(member, [] { return true; });
  }
};

/// Member 0 adds tasks, and takes one back unless offers are withdrawn; the others look twice each.
template <class Machine, class Offers>
struct queues {
  static constexpr unsigned members = 3, looks = 2, longest_pause = 1;
  const shape form;
  weir::openmp::deque<Machine, item, 3> tasks[members];
  Offers offers{16};  // two lines
  search search_of[members];
  explored::word<std::uint32_t> taken[most_items]{0, 0}, finished{0}, never{0};

  explicit queues(const shape& s) : form(s) {
    if (!form.withdraw) return;
    // The looks of the search's patience but one.
    for (search& each : search_of)
      while (!each.withdraws(longest_pause)) each.failed(1, false, false, longest_pause);
  }

  void check(bool holds) {
    if (!holds) explored::spin(never, [](std::uint32_t) { return false; });
  }
  void take(const item* it) {
    if (it != nullptr) check(taken[number_of(it)].fetch_add(1, std::memory_order_relaxed) == 0);
  }
  void own() {
    for (unsigned i = 0; i < form.items; ++i) {
      tasks[0].push(item_of(i));
      // As task_scheduler::add().
      explored::fence(std::memory_order_seq_cst);
      if (!offers.of(0).is_there()) offers.add(0);
    }
    if (!form.withdraw) take(tasks[0].pop([](const item*) { return true; }));
  }
  void steal(unsigned member) {
    const unsigned number = form.thieves[member - 1];
    const auto queue_of = [&](unsigned victim) -> auto& { return tasks[victim == number ? member : 0]; };
    const item* const bound = nullptr;
    take(weir::openmp::steal_from(queue_of, offers, search_of[member], number, longest_pause, bound, form.everywhere, [] {}));
  }
  void pass(unsigned member) {
    if (member == 0)
      own();
    else
      for (unsigned i = 0; i < looks; ++i) steal(member);
    if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 < members) return;
    unsigned left = 0;
    for (unsigned i = 0; i < form.items; ++i) left += taken[i].load(std::memory_order_relaxed) == 0;
    if (left != 0) check(!tasks[0].is_empty() && offers.of(0).is_there());
  }
};

template <class Machine = explored, class Offers = weir::openmp::offers<explored>>
verdict searched(const shape& form, memory_model memory = memory_model::sc) {
  subject s;
  s.members = queues<Machine, Offers>::members;
  s.build = [form]() -> subject::body { return [q = new queues<Machine, Offers>(form)](unsigned member) { q->pass(member); }; };
  return explore(s, {.memory = memory});
}

constexpr shape near{{1, 2}}, far{{8, 9}}, everywhere{{1, 2}, true}, withdrawing{{1, 8}, true, true};

class Stealing : public testing::TestWithParam<memory_model> {};

TEST_P(Stealing, TakesEachTaskOnceAndHidesNone) {
  // With weak memory two tasks have too many states for a test.
  for (shape form : {near, far, everywhere, withdrawing}) {
    if (GetParam() == memory_model::weak) form.items = 1;
    const verdict v = searched(form, GetParam());
    EXPECT_TRUE(v.holds && v.complete) << form.thieves[0] << (form.withdraw ? ", withdrawing" : "") << '\n' << v.timeline;
  }
}

INSTANTIATE_TEST_SUITE_P(In, Stealing, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(StealingMutants, ThievesThatDoNotCompareTakeATaskTwice) {
  for (const shape& form : {near, everywhere}) EXPECT_FALSE(searched<takes_without_comparing>(form).holds);
}

TEST(StealingMutants, AThiefThatDoesNotLookOnceMoreHidesATask) {
  EXPECT_FALSE((searched<explored, hasty>(withdrawing).holds));
}

}  // namespace
