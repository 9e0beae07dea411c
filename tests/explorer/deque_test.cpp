// The queue of tasks in every interleaving: each task is taken once, and none is lost.
#include "openmp/tasks/deque.hpp"

#include <gtest/gtest.h>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"
#include "word_mutants.hpp"

namespace {

using namespace weir::explorer;

struct item;
constexpr unsigned items = 4;  // more than the queue holds
// Their addresses are values of words, and must be the same in each schedule.
item* item_of(unsigned number) { return reinterpret_cast<item*>(std::uintptr_t{number} + 1); }
std::size_t number_of(const item* it) { return reinterpret_cast<std::uintptr_t>(it) - 1; }

/// One owner, member 0, adds and takes all items, in this order; each other member steals once.
enum class order { all_added_first, taken_in_between };

template <class Machine, order Order>
struct queue {
  weir::openmp::deque<Machine, item, 2> tasks;
  typename explored::word<std::uint32_t> taken[items]{}, finished{0}, lost{0};

  void take(item* it) {
    // Twice: the search reports a member that waits for ever.
    if (it != nullptr && taken[number_of(it)].fetch_add(1, std::memory_order_relaxed) != 0) explored::spin(lost, [](std::uint32_t) { return false; });
  }
  void pass(unsigned member, unsigned members) {
    const auto any = [](const item*) { return true; };
    if (member == 0) {
      for (unsigned i = 0; i < items; ++i) {
        if (!tasks.push(item_of(i))) take(item_of(i));
        if (Order == order::taken_in_between) take(tasks.pop(any));
      }
      for (unsigned i = 0; i < items; ++i) take(tasks.pop(any));
    } else {
      take(tasks.steal(any));
    }
    if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 < members) return;
    for (auto& each : taken)
      if (each.load(std::memory_order_relaxed) != 1) explored::spin(lost, [](std::uint32_t) { return false; });
  }
};

template <class Machine, order Order = order::all_added_first>
verdict searched(unsigned members, memory_model memory) {
  subject s;
  s.members = members;
  s.build = [members]() -> subject::body {
    return [q = new queue<Machine, Order>, members](unsigned member) { q->pass(member, members); };
  };
  return explore(s, {.memory = memory});
}

class Deque : public testing::TestWithParam<memory_model> {};

TEST_P(Deque, EachTaskIsTakenOnce) {
  for (const unsigned members : {2u, 3u}) {
    EXPECT_TRUE((searched<explored, order::all_added_first>(members, GetParam()).holds)) << members;
    EXPECT_TRUE((searched<explored, order::taken_in_between>(members, GetParam()).holds)) << members;
  }
}

INSTANTIATE_TEST_SUITE_P(In, Deque, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

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
  EXPECT_TRUE(searched<publishes_later>(3, memory_model::sc).holds);
  EXPECT_FALSE(searched<publishes_later>(3, memory_model::tso).holds);
}

TEST(DequeMutants, TheLastTaskMustBeContestedByComparing) {
  EXPECT_FALSE(searched<takes_without_comparing>(2, memory_model::sc).holds);
}

}  // namespace
