// The queue of tasks in every interleaving: each task is taken once, and none is lost.
#include "openmp/tasks/deque.hpp"

#include <gtest/gtest.h>

#include "orders.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"
#include "word_mutants.hpp"

namespace {

using namespace weir::explorer;

struct item;
constexpr unsigned most_items = 4;  // more than the queue holds
// Their addresses are values of words, and must be the same in each schedule.
item* item_of(unsigned number) { return reinterpret_cast<item*>(std::uintptr_t{number} + 1); }
std::size_t number_of(const item* it) { return reinterpret_cast<std::uintptr_t>(it) - 1; }

/// One owner, member 0, adds and takes all items, in this order; each other member steals once.
enum class when { all_added_first, taken_in_between };
struct shape {
  unsigned members;
  when taken = when::all_added_first;
  unsigned items = most_items;
};

template <class Machine>
struct queue {
  const shape form;
  weir::openmp::deque<Machine, item, 3> tasks;
  typename explored::word<std::uint32_t> written[most_items]{}, taken[most_items]{}, finished{0}, lost{0};

  explicit queue(const shape& s) : form(s) {}

  void take(item* it) {
    if (it == nullptr) return;
    // Twice, or before it was written: the search reports a member that waits for ever.
    if (written[number_of(it)].load(std::memory_order_relaxed) == 0 ||
        taken[number_of(it)].fetch_add(1, std::memory_order_relaxed) != 0)
      explored::spin(lost, [](std::uint32_t) { return false; });
  }
  void pass(unsigned member) {
    const auto any = [](const item*) { return true; };
    if (member == 0) {
      for (unsigned i = 0; i < form.items; ++i) {
        written[i].store(1, std::memory_order_relaxed);
        if (!tasks.push(item_of(i))) take(item_of(i));
        if (form.taken == when::taken_in_between) take(tasks.pop(any));
      }
      for (unsigned i = 0; i < form.items; ++i) take(tasks.pop(any));
    } else {
      take(tasks.steal(any));
    }
    if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 < form.members) return;
    for (unsigned i = 0; i < form.items; ++i)
      if (taken[i].load(std::memory_order_relaxed) != 1) explored::spin(lost, [](std::uint32_t) { return false; });
  }
};

template <class Machine>
subject of(const shape& form) {
  subject s;
  s.members = form.members;
  s.build = [form]() -> subject::body {
    return [q = new queue<Machine>(form)](unsigned member) { q->pass(member); };
  };
  return s;
}

template <class Machine>
verdict searched(const shape& form, memory_model memory) {
  return explore(of<Machine>(form), {.memory = memory});
}

class Deque : public testing::TestWithParam<memory_model> {};

TEST_P(Deque, EachTaskIsTakenOnce) {
  // With weak memory the larger ones of three members have too many states for a test.
  const unsigned few = GetParam() == memory_model::weak ? 2 : most_items;
  for (const shape& form : {shape{2, when::all_added_first}, shape{2, when::taken_in_between}, shape{3, when::all_added_first},
                           shape{3, when::taken_in_between, few}}) {
    const verdict v = searched<explored>(form, GetParam());
    EXPECT_TRUE(v.holds && v.complete) << form.members << " members\n" << v.timeline;
  }
}

INSTANTIATE_TEST_SUITE_P(In, Deque, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(DequeOrders, EachIsNeededOrHasAReason) {
  using namespace explored_orders;
  const std::string file = "src/openmp/tasks/deque.hpp";
  constexpr const char* later_writes = "no explored load reads what is stored after it";
  constexpr const char* by_coherence = "every load of top is seq_cst, which orders it in C++20; C++17 has no such rule";
  constexpr const char* elsewhere = "offers_test.cpp asks for it";
  const std::vector<kept> table{
      {file, "seen_top_ = top_.load(std::memory_order_acquire);", order::relaxed, later_writes},
      {file, "if (first > last || !top_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst)) return nullptr;",
       order::acq_rel, by_coherence},
      {file, "if (!top_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst)) return nullptr;", order::acq_rel,
       by_coherence},
      {file, "const std::int64_t first = top_.load(std::memory_order_seq_cst);", order::seq_cst, elsewhere},
      {file, "return at(first).load(std::memory_order_seq_cst) == 0;", order::seq_cst, elsewhere},
  };
  std::map<site, std::string> written;
  scan(source / file, written);
  std::vector<candidate> candidates;
  for (const shape& form : {shape{2}, shape{2, when::taken_in_between}, shape{3, when::all_added_first, 2},
                           shape{3, when::taken_in_between, 2}})
    candidates.push_back(
        {std::to_string(form.members) + " members, " + std::to_string(form.items) + " items", of<explored>(form)});
  expect_needed(written, candidates, table);
}

/// Mutants: a machine whose words are not what the deque asks for.
template <class T>
struct word_that_publishes_later : explored::word<T> {
  using explored::word<T>::word;
  void store(T value, std::memory_order asked) {
    explored::word<T>::store(value, asked == std::memory_order_seq_cst ? std::memory_order_release : asked);
  }
};
struct publishes_later : explored {
  template <class T>
  using word = word_that_publishes_later<T>;
};

TEST(DequeMutants, AnOwnerWhoseClaimIsSeenTooLateTakesATaskTwice) {
  // It takes two thieves: one for each task.
  EXPECT_TRUE(searched<publishes_later>({3}, memory_model::sc).holds);
  EXPECT_FALSE(searched<publishes_later>({3}, memory_model::tso).holds);
}

TEST(DequeMutants, TheLastTaskMustBeContestedByComparing) {
  EXPECT_FALSE(searched<takes_without_comparing>({2}, memory_model::sc).holds);
}

}  // namespace
