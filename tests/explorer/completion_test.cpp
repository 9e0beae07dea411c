// The decision that all tasks are complete, in every interleaving: no member passes the barrier while a task of the team is
// incomplete or has its memory, each memory is given back once, and a member that sleeps until its tasks are complete is woken.
#include "openmp/tasks/completion.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "openmp/teams/task.hpp"
#include "pointer.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using explored_words::pointer;
using order = std::memory_order;
using place = std::source_location;

/// What is no atomic word natively. A member that reads it must know of the last write, or finds an older value.
class number {
 public:
  operator unsigned() const { return value_.load(order::relaxed); }
  void operator=(unsigned to) { value_.store(to, order::relaxed); }
  void operator++() { *this = *this + 1; }
  void operator--() { *this = *this - 1; }

 private:
  explored::word<std::uint32_t> value_{0};
};

struct thread_of_team {
  explored::gate asleep;
  explored::word<std::uint32_t> ready{0};  // its queue: the number of a task that it has generated; 0: empty
};

struct counted : weir::openmp::task_counts {
  counted(counted* tasks, thread_of_team* members) : parent(tasks), executor(members) {}
  explored::word<std::uint64_t> below{0};
  pointer<counted> parent;
  pointer<thread_of_team> executor;
  number credit;
};

struct numbers {
  unsigned credit;   // of a task at first
  unsigned at_once;  // children counted in advance
  bool wakes = true;
};

/// Member 0 generates a task, which generates another one; member 1 waits at the barrier, and takes tasks meanwhile.
struct region {
  static constexpr unsigned members = 2, first = 2, second = 3, total = 4;  // after the implicit tasks
  const numbers n;
  thread_of_team threads[members];
  counted tasks[total]{{tasks, threads}, {tasks, threads}, {tasks, threads}, {tasks, threads}};
  explored::word<std::uint32_t> executed[total]{0, 0, 0, 0}, given_back[total]{0, 0, 0, 0}, arrived{0}, never{0};

  explicit region(numbers of) : n(of) {}

  /// The search reports a member that waits for ever.
  void check(bool holds) {
    if (!holds) explored::spin(never, [](std::uint32_t) { return false; });
  }

  void generate(unsigned member, unsigned parent, unsigned child) {
    counted& t = tasks[child];
    t.parent.store(&tasks[parent], order::relaxed);
    t.credit = n.credit;
    t.below.store(counted::living + n.credit * counted::a_child, order::relaxed);
    weir::openmp::count_child(tasks[parent], n.at_once);
    threads[member].ready.store(child, order::release);
  }

  void execute(unsigned member, unsigned t) {
    tasks[t].executor.store(&threads[member], order::relaxed);
    if (t == first) generate(member, first, second);
    check(executed[t].fetch_add(1, order::relaxed) == 0);
    tasks[t].executor.store(nullptr, order::relaxed);
    weir::openmp::complete_counted(
        tasks[t], [&](const counted& task) { return task.executor.load(order::relaxed) == &threads[member]; }, &threads[member],
        [&](counted& task) { check(given_back[&task - tasks].fetch_add(1, order::relaxed) == 0); },
        [&](thread_of_team& executor) {
          if (n.wakes) executor.asleep.open();
        });
  }

  bool execute_one_of(unsigned member, unsigned owner) {
    std::uint32_t t = threads[owner].ready.load(order::relaxed);
    if (t == 0 || !threads[owner].ready.compare_exchange_strong(t, 0, order::acq_rel)) return false;
    execute(member, t);
    return true;
  }

  void complete_tasks(unsigned member) {
    const auto is_complete = [&] { return counted::without_visitors(weir::openmp::settle(tasks[member])) == 0; };
    while (!is_complete())
      if (!execute_one_of(member, member)) threads[member].asleep.sleep_unless(is_complete);
  }

  void pass(unsigned member) {
    if (member == 0) {
      tasks[0].executor.store(&threads[0], order::relaxed);
      generate(0, 0, first);
    }
    complete_tasks(member);
    arrived.fetch_add(1, order::acq_rel);
    if (member == 1 && execute_one_of(1, 0))
      while (execute_one_of(1, 1)) {
      }
    explored::spin(arrived, [](std::uint32_t now) { return now == members; });
    for (const unsigned t : {first, second}) {
      check(executed[t].load(order::relaxed) == 1);
      check(given_back[t].load(order::relaxed) == 1);
    }
  }
};

verdict searched(const numbers& n, memory_model memory, std::function<order(const place&, order)> order_at = {}) {
  subject s;
  s.members = region::members;
  s.order_at = std::move(order_at);
  s.build = [n]() -> subject::body { return [r = new region(n)](unsigned member) { r->pass(member); }; };
  return explore(s, {.memory = memory});
}

const std::vector<numbers> cases{{0, 1}, {0, 2}, {1, 1}, {2, 2}};

class Completion : public testing::TestWithParam<memory_model> {};

TEST_P(Completion, IsKnownWhenAllTasksAre) {
  for (const numbers& n : cases) EXPECT_TRUE(searched(n, GetParam()).holds) << n.credit << ", " << n.at_once;
}

INSTANTIATE_TEST_SUITE_P(In, Completion, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(CompletionMutants, TheLastTaskWakesWhoSleeps) { EXPECT_FALSE(searched({1, 1, false}, memory_model::sc).holds); }

TEST(CompletionMutants, EachOrderIsNeeded) {
  const auto is_here = [](const place& at) { return std::string_view(at.file_name()).ends_with("tasks/completion.hpp"); };
  std::map<unsigned, order> written;  // by line
  for (const numbers& n : cases)
    (void)searched(n, memory_model::weak, [&](const place& at, order as) {
      if (is_here(at) && as != order::relaxed) written[at.line()] = as;
      return as;
    });
  EXPECT_EQ(written.size(), 4u);
  for (const auto& [line, as] : written) {
    bool found = false;
    for (const numbers& n : cases)
      found = found || !searched(n, memory_model::weak, [&, line = line](const place& at, order given) {
                          return is_here(at) && at.line() == line ? order::relaxed : given;
                        }).holds;
    EXPECT_TRUE(found) << "line " << line;
  }
}

}  // namespace
