#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../machine/binding.hpp"
#include "../machine/clock.hpp"
#include "mine.hpp"

namespace bench {

namespace {

using namespace std::chrono_literals;

constexpr double lasts_ns = 0.3e9;
constexpr std::uint64_t fewest_episodes = 8;
constexpr auto lateness = 50us;
// Members that spin on shared processors lose time slices to each other; this is the time of many hundreds of slices.
constexpr double patience_ns = 5e9;

struct alignas(128) progress {
  std::atomic<std::uint64_t> arrived{0}, left{0};  // episodes
};

struct early {
  unsigned member, before;
  std::uint64_t episode;
};

class contract {
 public:
  contract(const user_barrier& barrier, const setting& team)
      : wait_(barrier.wait), team_(team), barrier_(barrier.made(team.members)), seen_(team.members) {}

  nlohmann::json run() {
    std::vector<std::thread> threads;
    ends_ns_ = now_ns() + lasts_ns;
    for (unsigned m = 0; m < team_.members; ++m) threads.emplace_back([this, m] { pass(m); });
    const std::string failure = watch();
    if (!failure.empty()) {
      for (auto& t : threads) t.detach();
      return {{"failed", failure}};
    }
    for (auto& t : threads) t.join();
    barrier_.reset();  // its end is part of the contract
    return {{"episodes", seen_[0].left.load()}};
  }

 private:
  // All relaxed: the tested barrier itself must make a member see what the others wrote before they arrived.
  static constexpr auto order = std::memory_order_relaxed;

  void pass(unsigned m) {
    if (team_.pinned) bind_to(team_.processors[m % team_.processors.size()]);
    for (std::uint64_t e = 1;; ++e) {
      if (m == 0 && e >= fewest_episodes && now_ns() > ends_ns_) last_.store(e, order);
      // Each member in turn is late; then all members go as fast as they can for the same number of episodes.
      if (e / team_.members % 2 == 0 && e % team_.members == m) std::this_thread::sleep_for(lateness);
      seen_[m].arrived.store(e, order);
      wait_(barrier_.get(), m);
      for (unsigned other = 0; other < team_.members; ++other)
        if (seen_[other].arrived.load(order) < e) return tell({m, other, e});
      seen_[m].left.store(e, order);
      if (last_.load(order) <= e) break;
    }
    finished_.fetch_add(1, std::memory_order_release);  // seen by watch(), which no barrier orders
  }

  void tell(early what) {
    if (told_.exchange(true, order)) return;
    early_ = what;
    is_early_.store(true, std::memory_order_release);  // publishes early_
  }

  /// Waits until all members have finished. Returns what went wrong, or "".
  std::string watch() {
    std::uint64_t before = 0;
    double moved_ns = now_ns();
    while (finished_.load(std::memory_order_acquire) < team_.members) {
      std::this_thread::sleep_for(2ms);
      if (is_early_.load(std::memory_order_acquire))
        return "it let member " + std::to_string(early_.member) + " leave before member " + std::to_string(early_.before) +
               " had arrived (" + where(early_.episode) + ")";
      std::uint64_t sum = 0, episode = 0, inside = 0;
      for (const progress& p : seen_) {
        const std::uint64_t left = p.left.load(order), arrived = p.arrived.load(order);
        sum += left + arrived;
        episode = std::max(episode, arrived);
        inside += arrived > left;
      }
      if (sum != before) moved_ns = now_ns();
      before = sum;
      if (now_ns() - moved_ns > patience_ns)
        return "it hangs: " + std::to_string(inside) + " of " + std::to_string(team_.members) + " members did not leave within " +
               std::to_string(static_cast<int>(patience_ns / 1e9)) + " s (" + where(episode) + ")";
    }
    return "";
  }

  std::string where(std::uint64_t episode) const {
    return "team of " + std::to_string(team_.members) + ", episode " + std::to_string(episode);
  }

  void (*const wait_)(void*, unsigned);
  const setting& team_;
  std::shared_ptr<void> barrier_;
  std::vector<progress> seen_;
  double ends_ns_ = 0;
  std::atomic<std::uint64_t> last_{~std::uint64_t{0}};
  std::atomic<unsigned> finished_{0};
  std::atomic<bool> told_{false}, is_early_{false};
  early early_{};
};

}  // namespace

nlohmann::json check_contract(const user_barrier& barrier, const setting& team) {
  std::unique_ptr<contract> run;
  try {
    run = std::make_unique<contract>(barrier, team);
  } catch (const std::runtime_error& e) {
    return {{"refused", e.what()}};
  }
  nlohmann::json found = run->run();
  if (found.contains("failed")) (void)run.release();  // never destroyed: members may still be inside
  return found;
}

}  // namespace bench
