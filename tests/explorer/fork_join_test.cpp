// The fork and the join of a crew in every interleaving: each worker executes each region that includes it once, reads nothing of
// one that does not, and the primary thread goes on when all have executed it.
#include "openmp/forking/fork_join.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using weir::openmp::half;
namespace release_word = weir::openmp::release_word;

/// What a region is here: its number, which must not change while a worker may read it.
template <class Machine>
struct numbered {
  typename Machine::template word<std::uint32_t> number{0};
  numbered& operator=(std::uint32_t value) {
    number.store(value, std::memory_order_relaxed);
    return *this;
  }
};
/// A tree for few members: member 1 waits for the common line, member 0 releases member 2, and member 2 releases member 3.
template <class Machine>
using fork_join = weir::openmp::fork_join<Machine, numbered<Machine>, weir::openmp::release_tree<2, 2>>;

enum class waiting { awake, asleep };
struct scenario {
  unsigned members;
  std::vector<unsigned> sizes;  // of the regions' teams
  std::string release, arrival;
  waiting how;
  unsigned seats = 0;  // the members count in as many groups
};

struct crew {
  using phases_of_explored = fork_join<explored>;
  using flags = phases_of_explored::flags;
  using tree = phases_of_explored::release_tree;
  phases_of_explored phases;
  flags workers[3];
  explored::word<std::uint32_t> executed[4]{0, 0, 0, 0}, never{0};

  const scenario s;
  std::vector<half> releases, arrivals;  // by size, from 0
  const bool in_tree, one_flag;

  explicit crew(const scenario& of) : s(of), in_tree(of.release == "auto"), one_flag(half::release(of.release, 1).central()) {
    for (unsigned n = 1; n <= s.members; ++n) {
      releases.push_back(half::release(s.release, n));
      arrivals.push_back(half::arrival(s.arrival, n, n > s.seats, s.seats));
    }
  }

  auto flags_of() {
    return [this](unsigned number) -> flags& { return workers[number - 1]; };
  }
  auto await() const {
    return [how = s.how](auto& word, auto& gate, auto ready) {
      if (how == waiting::awake) return explored::spin(word, ready);
      const auto is_ready = [&] { return ready(word.load(std::memory_order_acquire)); };
      while (!is_ready()) gate.sleep_unless(is_ready);
    };
  }

  phases_of_explored::release_line& line_of(unsigned member) {
    return one_flag && (!in_tree || member < tree::in_common) ? phases.for_all : workers[member - 1].release;
  }
  void release_common(std::uint64_t word, std::uint32_t number) {
    if (in_tree) phases.pass_on(0, s.members - 1, word, number, flags_of());
    phases.release_common(word, number);
  }

  /// The search reports a member that waits for ever.
  void check(bool holds) {
    if (!holds) explored::spin(never, [](std::uint32_t) { return false; });
  }

  void lead() {
    std::uint32_t episode = 0;
    for (const unsigned size : s.sizes) {
      const std::uint64_t word = release_word::of(++episode, size);
      if (one_flag)
        release_common(word, episode);
      else
        phases.release(releases[size - 1], 0, word, episode, flags_of());
      phases.join(arrivals[size - 1], episode, flags_of(), await());
      for (unsigned member = 1; member < size; ++member)
        check(executed[member].load(std::memory_order_relaxed) == episode);
    }
    const std::uint64_t end = release_word::of(episode + 1, release_word::everyone);
    if (one_flag)
      release_common(end, 0);
    else
      for (unsigned n = 1; n < s.members; ++n) workers[n - 1].release.set(end);
  }

  void work(unsigned member) {
    auto& line = line_of(member);
    std::uint64_t seen = 0;
    for (;;) {
      seen = phases.next(line, seen, await());
      const std::uint32_t size = release_word::size_in(seen), episode = release_word::episode_in(seen);
      if (member >= size) continue;
      const std::uint32_t number = line.region.number.load(std::memory_order_relaxed);
      if (in_tree) phases.pass_on(member, s.members - 1, seen, number, flags_of());
      if (size == release_word::everyone) return;
      if (!one_flag) phases.release(releases[size - 1], member, seen, number, flags_of());
      check(number == episode);
      executed[member].store(episode, std::memory_order_relaxed);
      phases.arrive(arrivals[size - 1], size, member, workers[member - 1], episode, flags_of(), await());
    }
  }
};

using place = std::source_location;
using order = std::memory_order;

verdict searched(const scenario& s, memory_model memory, std::function<order(const place&, order)> order_at = {}) {
  subject tested;
  tested.members = s.members;
  tested.order_at = std::move(order_at);
  tested.build = [s]() -> subject::body {
    return [c = new crew(s)](unsigned member) {
      if (member == 0)
        c->lead();
      else
        c->work(member);
    };
  };
  return explore(tested, {.memory = memory});
}

std::vector<scenario> scenarios() {
  std::vector<scenario> tried;
  for (const auto* release : {"tournament", "sense"})
    for (const auto* arrival : {"tournament", "distributed-sensor", "sense"}) {
      for (const auto& sizes : {std::vector{3u, 3u}, std::vector{3u, 2u, 3u}, std::vector{2u, 2u}})
        tried.push_back({3, sizes, release, arrival, waiting::awake});
      tried.push_back({2, {2, 2}, release, arrival, waiting::asleep});
    }
  for (const auto& sizes : {std::vector{3u, 3u}, std::vector{3u, 2u, 3u}})
    tried.push_back({3, sizes, "auto", "sense", waiting::awake});
  for (const auto& sizes : {std::vector{4u}, std::vector{3u, 4u}}) tried.push_back({4, sizes, "auto", "sense", waiting::awake});
  tried.push_back({3, {3, 3}, "tournament", "auto", waiting::awake, 2});
  tried.push_back({4, {4}, "tournament", "auto", waiting::awake, 2});
  return tried;
}

class ForkJoin : public testing::TestWithParam<memory_model> {};

TEST_P(ForkJoin, ExecutesEachRegionOnce) {
  for (const scenario& s : scenarios())
    EXPECT_TRUE(searched(s, GetParam()).holds) << s.release << ", " << s.arrival << ", first of " << s.sizes[0];
}

INSTANTIATE_TEST_SUITE_P(In, ForkJoin, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

bool is_of_fork_join(const place& at) { return std::string_view(at.file_name()).ends_with("forking/fork_join.hpp"); }

TEST(ForkJoinMutants, EachOrderIsNeeded) {
  std::map<unsigned, order> written;  // by line
  for (const scenario& s : scenarios())
    (void)searched(s, memory_model::weak, [&](const place& at, order as) {
      if (is_of_fork_join(at) && as != order::relaxed) written[at.line()] = as;
      return as;
    });
  const std::map<order, std::set<order>> weaker{
      {order::acquire, {order::relaxed}}, {order::release, {order::relaxed}}, {order::acq_rel, {order::acquire, order::release}}};
  EXPECT_EQ(written.size(), 6u);
  for (const auto& [line, as] : written)
    for (const order instead : weaker.at(as)) {
      bool found = false;
      for (const scenario& s : scenarios())
        found = found || !searched(s, memory_model::weak, [&, line = line](const place& at, order given) {
                            return is_of_fork_join(at) && at.line() == line ? instead : given;
                          }).holds;
      EXPECT_TRUE(found) << "line " << line << " with order " << static_cast<int>(instead);
    }
}

}  // namespace
