// Members that are made anew for each job: kernel threads, or user-level members on as many virtual processors. Member m is on
// processor m % P of either, and is never migrated [paper 000, section 3.2].
#pragma once

#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include <weir/crowd.hpp>

#include "../barriers/crew.hpp"
#include "../machine/binding.hpp"

namespace bench {

class kernel_team final : public members_of_team {
 public:
  using members_of_team::members_of_team;

 private:
  void together(const job& all_do) override {
    // None does its part before all are there: where the system refuses a thread, those that there are end at once.
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

class user_team final : public members_of_team {
 public:
  using members_of_team::members_of_team;

 private:
  void together(const job& all_do) override {
    const auto processors = static_cast<unsigned>(setting_.processors.size());
    weir::crowd members(
        setting_.members,
        [&](unsigned m) {
          // The virtual processor is the kernel thread that runs here. Where another one has robbed this member, it goes back.
          if (m < processors) {
            weir::this_member::yield();
            bind_to(setting_.processors[m]);
          }
          all_do(m);
        },
        {.processors = processors});
    members.join();
  }
  /// The clock is the virtual processor's: the first member on each counts it for all.
  bool has_clock(unsigned member) const override { return member < setting_.processors.size(); }
};

inline std::unique_ptr<members_of_team> team_of(bool user_level, setting s) {
  if (user_level) return std::make_unique<user_team>(std::move(s));
  return std::make_unique<kernel_team>(std::move(s));
}

}  // namespace bench
