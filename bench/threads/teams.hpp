// Members that are created for each job: kernel threads, or user-level members on virtual processors. Member m is on processor,
// or virtual processor, m % P, and is never migrated [paper 000, section 3.2].
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include <weir/crowd.hpp>

#include "../barriers/crew.hpp"
#include "../machine/binding.hpp"

namespace bench {

class kernel_team final : public members_of_team {
 public:
  using members_of_team::members_of_team;

 private:
  void together(const job& all_do) override {
    // No member does its part before all members exist: if the system refuses a thread, the existing members end at once.
    std::atomic<unsigned> state{waiting};
    std::vector<std::thread> threads;
    try {
      for (unsigned m = 0; m < setting_.members; ++m)
        threads.emplace_back([&, m] {
          bind_to(setting_.processors[m % setting_.processors.size()]);
          state.wait(waiting);
          if (state.load(std::memory_order_relaxed) == begun) all_do(m);  // relaxed: wait() has acquired it
        });
    } catch (const std::system_error&) {
      end(state, refused, threads);
      throw;
    }
    end(state, begun, threads);
  }

  enum : unsigned { waiting, begun, refused };
  static void end(std::atomic<unsigned>& state, unsigned how, std::vector<std::thread>& threads) {
    state.store(how);  // sequentially consistent, as all that happens once a sample
    state.notify_all();
    for (auto& t : threads) t.join();
  }
};

/// Binds the kernel threads of virtual processors. A member does not know on which virtual processor it runs, because another one
/// may have stolen it. But if as many members as there are virtual processors run at the same time, they are on all of them.
class binding {
 public:
  explicit binding(const std::vector<int>& to) : to_(to), seen_(to.size()) {}

  /// Called by members 0, 1, ..., one for each processor. A member that shares its kernel thread with another of them loses the
  /// thread at the end of its quantum, or is stolen.
  void take_part(unsigned member) {
    while (!bound_.load(std::memory_order_acquire)) {
      seen_[member].store(gettid(), std::memory_order_relaxed);
      if (member == 0) try_to_bind();
    }
  }

 private:
  void try_to_bind() {
    std::set<pid_t> distinct;
    for (const auto& s : seen_) distinct.insert(s.load(std::memory_order_relaxed));
    if (distinct.count(0) != 0 || distinct.size() < seen_.size()) return;
    for (std::size_t i = 0; i < to_.size(); ++i) bind_to(to_[i], seen_[i].load(std::memory_order_relaxed));
    bound_.store(true, std::memory_order_release);  // release: they are bound
  }

  const std::vector<int>& to_;
  std::vector<std::atomic<pid_t>> seen_;  // relaxed: kernel threads, which last
  std::atomic<bool> bound_{false};
};

class user_team final : public members_of_team {
 public:
  using members_of_team::members_of_team;

 private:
  void together(const job& all_do) override {
    std::vector<int> used = setting_.processors;
    used.resize(std::min<std::size_t>(setting_.members, used.size()));
    binding processors(used);
    weir::crowd members(
        setting_.members,
        [&](unsigned m) {
          if (m < used.size()) processors.take_part(m);
          all_do(m);
        },
        {.processors = static_cast<unsigned>(setting_.processors.size())});
    members.join();
  }
  /// The clock belongs to the virtual processor: the first member on each counts it for all.
  bool has_clock(unsigned member) const override { return member < setting_.processors.size(); }
};

inline std::unique_ptr<members_of_team> team_of(bool user_level, setting s) {
  if (user_level) return std::make_unique<user_team>(std::move(s));
  return std::make_unique<kernel_team>(std::move(s));
}

}  // namespace bench
