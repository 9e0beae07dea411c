// What every barrier promises, as one checker that all tests use:
//   - nobody leaves an episode before all have arrived in it;
//   - what a member wrote before the barrier is seen by all after it (plain variables: under
//     ThreadSanitizer a missing memory order is reported as the race it is);
//   - consecutive episodes do not mix.
// A broken barrier may hang, or let members run on for ever, so mutants are checked in a process of
// their own (verdict_in_child).
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace contract {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

struct options {
  unsigned members = 2;
  unsigned episodes = 1000;
  std::vector<int> placement = {};  // bind members, if not empty
  bool slow_member = true;          // in some episodes one member comes late, another each time
  unsigned late_us = 30;
};

struct alignas(128) slot {
  std::atomic<std::uint32_t> arrived{0};  // the episode that the member has last arrived in
  std::uint32_t written = 0;              // the same, as a plain variable
};

class checker {
 public:
  explicit checker(const options& o) : o_(o), slots_(o.members) {}

  /// Runs the team on `pass(member)`; "" or the first breach of contract.
  std::string run(const std::function<void(unsigned)>& pass) {
    std::vector<std::thread> team;
    for (unsigned m = 0; m < o_.members; ++m) team.emplace_back([&, m] { member(m, pass); });
    for (auto& t : team) t.join();
    return breach_;
  }

 private:
  void member(unsigned m, const std::function<void(unsigned)>& pass) {
    if (!o_.placement.empty()) bind(o_.placement[m]);
    std::minstd_rand random(m + 1);
    for (std::uint32_t e = 1; e <= o_.episodes; ++e) {
      dawdle(m, e, random);
      slots_[m].written = e;
      // relaxed: the barrier under test is what must order it.
      slots_[m].arrived.store(e, std::memory_order_relaxed);
      pass(m);
      inspect(m, e);
      if (broken_.load(std::memory_order_relaxed)) return give_up();
      // A second pass, so that nobody writes for the next episode while others still look.
      pass(m);
    }
  }

  void inspect(unsigned m, std::uint32_t e) {
    for (unsigned other = 0; other < o_.members; ++other) {
      const std::uint32_t a = slots_[other].arrived.load(std::memory_order_relaxed);
      if (a != e) report(m, e, other, "has arrived in", a);
      if (!broken_.load(std::memory_order_relaxed) && slots_[other].written != e)
        report(m, e, other, "has written before", slots_[other].written);
    }
  }

  void report(unsigned m, std::uint32_t e, unsigned other, const char* what, std::uint32_t seen) {
    if (broken_.exchange(true)) return;
    breach_ = "member " + std::to_string(m) + " left episode " + std::to_string(e) + " when member " +
              std::to_string(other) + " " + what + " " + std::to_string(seen);
  }

  // Others may wait at the broken barrier for ever: in a child the process ends here.
  void give_up() {
    std::fprintf(stderr, "%s\n", breach_.c_str());
    std::fflush(stderr);
    _exit(1);
  }

  void dawdle(unsigned m, std::uint32_t e, std::minstd_rand& random) const {
    if (!o_.slow_member) return;
    if (e % 8 == 0 && (e / 8) % o_.members == m)
      std::this_thread::sleep_for(std::chrono::microseconds(o_.late_us));
    else if (random() % 16 == 0)
      std::this_thread::yield();
  }

  static void bind(int processor) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(static_cast<std::size_t>(processor), &mask);
    sched_setaffinity(0, sizeof mask, &mask);
  }

  const options o_;
  std::vector<slot> slots_;
  std::atomic<bool> broken_{false};
  std::string breach_;
};

enum class verdict { kept, broken, hung };

/// Runs `pass` made by `make` in a child process, for at most `seconds`.
template <class Make>
verdict verdict_in_child(const options& o, Make make, unsigned seconds = 10) {
  const pid_t child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    alarm(seconds);
    auto barrier = make();
    const std::string breach = checker(o).run([&](unsigned m) { barrier->arrive_and_wait(m); });
    _exit(breach.empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? verdict::hung : verdict::broken;
  return WEXITSTATUS(status) == 0 ? verdict::kept : verdict::broken;
}

}  // namespace contract
