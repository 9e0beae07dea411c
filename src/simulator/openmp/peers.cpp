#include "simulator/openmp/peers.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>
#include <vector>

#include <weir/machine/machine.hpp>

#include "simulator/simulated.hpp"

namespace weir::simulator::openmp::peers {

namespace {

/// A futex(2) that wakes nobody, which libgomp's last member to arrive calls in every episode: less than half of what it takes on
/// the machine of docs/measurements (0.23 us, measured in a loop).
constexpr time empty_wake = 100 * nanosecond;

/// What the creation of a thread takes of its creator's time: less than half of what it takes there (13 to 14 us, the median of
/// 4,000; 8 at least).
constexpr time creation = 5000 * nanosecond;

/// Members count down in one word, and poll another one.
class counted_barrier {
 public:
  explicit counted_barrier(unsigned members) : members_(members), awaited_(members) {}
  void wait() {
    const std::uint32_t before = generation_.load();
    if (awaited_.fetch_sub(1) == 1) {
      awaited_.store(members_);
      generation_.store(before + 1);
      engine::here().system_call(empty_wake);
    } else {
      simulated::spin(generation_, [before](std::uint32_t now) { return now != before; });
    }
  }

 private:
  const unsigned members_;
  alignas(line_bytes) simulated::word<std::uint32_t> generation_{0};
  alignas(line_bytes) simulated::word<unsigned> awaited_;
};

class libgomp_team final : public team {
 public:
  explicit libgomp_team(unsigned members)
      : team(members), dock_(members), end_(members), in_region_(members), threads_(members) {}

  void parallel(const body& executed) override {
    executed_ = &executed;
    start(1);
    executed(0);
    end_.wait();
  }
  void work(unsigned member) override {
    engine::here().allocated(&threads_[member], sizeof threads_[member]);  // in the thread's own storage
    for (;;) {
      dock_.wait();
      if (threads_[member].function.load() == 0) return;
      (*executed_)(member);
      end_.wait();
    }
  }
  void dismiss() override { start(0); }
  void barrier(unsigned) override { in_region_.wait(); }
  void made_here() override { simulated::has_made(this, sizeof *this); }

 private:
  struct alignas(line_bytes) thread_data {
    simulated::word<std::uint64_t> function{0};
  };
  void start(std::uint64_t function) {
    for (unsigned m = 1; m < size; ++m) threads_[m].function.store(function);
    dock_.wait();
  }

  const body* executed_ = nullptr;
  counted_barrier dock_, end_, in_region_;
  std::vector<thread_data> threads_;
};

/// The threads of a region within a region meet at its end, and once more before its memory goes. The barrier in which the first
/// of them poll until the last has been created is left out: each begins by a word of its own, when all are there.
class libgomp_team_within final : public team {
 public:
  explicit libgomp_team_within(unsigned members) : team(members), meeting_(members), threads_(members) {}

  void parallel(const body& executed) override {
    executed_ = &executed;
    for (unsigned m = 1; m < size; ++m) engine::here().system_call(creation);
    begin();
    execute(0);
  }
  /// One thread after the other, each in the storage of the one before.
  void work(unsigned member) override {
    engine::here().allocated(&threads_[member], sizeof threads_[member]);
    for (std::uint32_t region = 1;; ++region) {
      simulated::spin(threads_[member].region, [region](std::uint32_t now) { return now == region; });
      if (executed_ == nullptr) return;
      execute(member);
    }
  }
  void dismiss() override {
    executed_ = nullptr;
    begin();
  }
  void barrier(unsigned) override { meeting_.wait(); }
  void made_here() override { simulated::has_made(this, sizeof *this); }

 private:
  struct alignas(line_bytes) thread_data {
    simulated::word<std::uint32_t> region{0};
  };
  void begin() {
    ++region_;
    for (unsigned m = 1; m < size; ++m) threads_[m].region.store(region_);
  }
  void execute(unsigned member) {
    (*executed_)(member);
    meeting_.wait();
    meeting_.wait();
  }

  const body* executed_ = nullptr;
  std::uint32_t region_ = 0;
  counted_barrier meeting_;
  std::vector<thread_data> threads_;
};

/// The children of each member, and whose flag releases a member: its own, or that of the first of some siblings.
struct tree {
  explicit tree(unsigned members) : children(members), flag_of(members, 0) {}
  std::vector<std::vector<unsigned>> children;
  std::vector<unsigned> flag_of;
};

/// A tree whose level i has branches of `widths[i]` members; the last width is that of all further levels. So many siblings,
/// one after the other, are released by one flag.
tree by_levels(unsigned members, const std::vector<unsigned>& widths, unsigned by_one_flag = 1) {
  tree made(members);
  std::uint64_t apart = 1;
  for (std::size_t level = 0; apart < members; ++level) {
    const unsigned width = widths[std::min(level, widths.size() - 1)];
    for (std::uint64_t first = 0; first < members; first += apart * width)
      for (unsigned k = 1; k < width && first + k * apart < members; ++k) {
        const auto child = static_cast<unsigned>(first + k * apart);
        made.children[first].push_back(child);
        made.flag_of[child] = static_cast<unsigned>(first + ((k - 1) / by_one_flag * by_one_flag + 1) * apart);
      }
    apart *= width;
  }
  return made;
}

/// The widths of the machine's levels. A level wider than four is halved, and the one above it is doubled.
std::vector<unsigned> narrow_levels(const machine_model& m) {
  constexpr unsigned widest = 4;
  std::vector<unsigned> widths;
  unsigned within = 1;
  for (const distance& d : m.distances) {
    widths.push_back((d.group + within - 1) / within);
    within = d.group;
  }
  for (std::size_t level = 0; level < widths.size(); ++level)
    while (widths[level] > widest) {
      widths[level] = (widths[level] + 1) / 2;
      if (level + 1 == widths.size()) widths.push_back(1);
      widths[level + 1] *= 2;
    }
  std::erase(widths, 1u);
  widths.push_back(widest);
  return widths;
}

/// The lock under which teams within teams take threads from the pool of the process: they are served in the order of their
/// tickets.
class pool_lock {
 public:
  void lock() {
    const std::uint32_t ticket = tickets_.fetch_add(1);
    simulated::spin(served_, [ticket](std::uint32_t now) { return now == ticket; });
  }
  void unlock() { served_.store(served_.load() + 1); }

 private:
  alignas(line_bytes) simulated::word<std::uint32_t> tickets_{0};
  simulated::word<std::uint32_t> served_{0};
};

/// libomp's members have a word by which each says that it has arrived, and one by which it is released; both on lines of their
/// own, changed by atomic updates. A region is a release that begins it and a gathering that ends it; each worker reads from the
/// team which function it executes. A team within another one takes its workers from the pool and gives them back, and writes a
/// line of each worker when it does; here the pool gives it the same ones again.
class libomp_team final : public team {
 public:
  libomp_team(unsigned members, tree of, std::shared_ptr<pool_lock> pool = nullptr)
      : team(members), tree_(std::move(of)), pool_(std::move(pool)), fork_join_(members), plain_(members), threads_(members) {}

  void parallel(const body& executed) override {
    executed_ = &executed;
    assign_workers(episode_ + 1);
    function_.store(episode_);
    release(fork_join_, 0, ++episode_);
    executed(0);
    gather(fork_join_, 0, episode_);
    assign_workers(0);
  }
  void work(unsigned member) override {
    engine::here().allocated(&threads_[member], sizeof threads_[member]);  // in the thread's own storage
    for (std::uint32_t episode = 1;; ++episode) {
      release(fork_join_, member, episode);
      if (executed_ == nullptr) return;
      if (pool_) (void)threads_[member].assigned.load();
      (void)function_.load();
      (*executed_)(member);
      gather(fork_join_, member, episode);
    }
  }
  void dismiss() override {
    executed_ = nullptr;
    release(fork_join_, 0, ++episode_);
  }
  void barrier(unsigned member) override {
    const std::uint32_t episode = ++plain_[member].episode;
    gather(plain_, member, episode);
    release(plain_, member, episode);
  }
  void made_here() override {
    simulated::has_made(this, sizeof *this);
    for (const auto* states : {&fork_join_, &plain_}) simulated::has_made(states->data(), states->size() * sizeof(state));
  }

 private:
  struct state {
    alignas(line_bytes) simulated::word<std::uint32_t> arrived{0};
    alignas(line_bytes) simulated::word<std::uint32_t> go{0};
    alignas(line_bytes) std::uint32_t episode = 0;
  };
  struct alignas(line_bytes) thread_data {
    simulated::word<std::uint32_t> assigned{0};
  };

  /// To the team, or (0) to the pool.
  void assign_workers(std::uint32_t to) {
    if (!pool_) return;
    const std::lock_guard held(*pool_);
    for (unsigned m = 1; m < size; ++m) threads_[m].assigned.store(to);
  }
  static void await(const simulated::word<std::uint32_t>& word, std::uint32_t episode) {
    simulated::spin(word, [episode](std::uint32_t now) { return now == episode; });
  }
  void gather(std::vector<state>& of, unsigned member, std::uint32_t episode) {
    for (const unsigned child : tree_.children[member]) await(of[child].arrived, episode);
    if (member != 0) of[member].arrived.fetch_add(1);
  }
  void release(std::vector<state>& of, unsigned member, std::uint32_t episode) {
    if (member != 0) await(of[tree_.flag_of[member]].go, episode);
    // Those that were gathered last are released first: they have the most others below them.
    for (const unsigned child : tree_.children[member] | std::views::reverse)
      if (tree_.flag_of[child] == child) of[child].go.fetch_add(1);
  }

  const body* executed_ = nullptr;
  const tree tree_;
  const std::shared_ptr<pool_lock> pool_;  // null: an outermost team, which keeps its workers
  std::uint32_t episode_ = 0;
  alignas(line_bytes) simulated::word<std::uint64_t> function_{0};
  std::vector<state> fork_join_, plain_;
  std::vector<thread_data> threads_;
};

// The trees of the patterns.

tree hyper(const machine_model&, unsigned members) { return by_levels(members, {4}); }
tree hierarchical(const machine_model& m, unsigned members) { return by_levels(members, narrow_levels(m)); }
tree distributed(const machine_model&, unsigned members) {
  // A flag releases 16 members, or as many that eight flags suffice; four flags make a group.
  const unsigned by_one_flag = std::max(16u, (members + 7) / 8), group = 4 * by_one_flag;
  return by_levels(members, {group, members}, by_one_flag);
}

using pattern = tree (*)(const machine_model& m, unsigned members);
std::unique_ptr<team> libomp(pattern waits_by, const machine_model& m, unsigned members) {
  return std::make_unique<libomp_team>(members, waits_by(m, members));
}
teams libomp_within(pattern waits_by, const machine_model& m, std::span<const unsigned> sizes) {
  const auto pool = std::make_shared<pool_lock>();
  teams made;
  for (const unsigned members : sizes) made.push_back(std::make_unique<libomp_team>(members, waits_by(m, members), pool));
  return made;
}

}  // namespace

std::unique_ptr<team> libgomp(const machine_model&, unsigned members) { return std::make_unique<libgomp_team>(members); }
teams libgomp_within(const machine_model&, std::span<const unsigned> sizes) {
  teams made;
  for (const unsigned members : sizes) made.push_back(std::make_unique<libgomp_team_within>(members));
  return made;
}

std::unique_ptr<team> libomp_hyper(const machine_model& m, unsigned members) { return libomp(hyper, m, members); }
teams libomp_hyper_within(const machine_model& m, std::span<const unsigned> sizes) { return libomp_within(hyper, m, sizes); }

std::unique_ptr<team> libomp_hierarchical(const machine_model& m, unsigned members) { return libomp(hierarchical, m, members); }
teams libomp_hierarchical_within(const machine_model& m, std::span<const unsigned> sizes) {
  return libomp_within(hierarchical, m, sizes);
}

std::unique_ptr<team> libomp_distributed(const machine_model& m, unsigned members) { return libomp(distributed, m, members); }
teams libomp_distributed_within(const machine_model& m, std::span<const unsigned> sizes) {
  return libomp_within(distributed, m, sizes);
}

}  // namespace weir::simulator::openmp::peers
