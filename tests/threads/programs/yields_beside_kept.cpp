// On one processor: members that poll and yield let a thread run that is the kernel's, because it has asked for its processor
// time. Counted in their yields, since other programs may take any time.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "../../retries.hpp"

namespace {

bool is_bound_to_one(char** arguments) {
  cpu_set_t those, one;
  sched_getaffinity(0, sizeof those, &those);
  if (CPU_COUNT(&those) == 1) return true;
  CPU_ZERO(&one);
  for (std::size_t p = 0; CPU_COUNT(&one) == 0; ++p)
    if (CPU_ISSET(p, &those)) CPU_SET(p, &one);
  sched_setaffinity(0, sizeof one, &one);
  execv("/proc/self/exe", arguments);
  return false;
}

std::atomic<bool> is_done{false};
std::atomic<long> yields{0};

void polls() {
  while (!is_done) {
    for (int i = 0; i < 10'000; ++i) asm volatile("");
    ++yields;
    sched_yield();
  }
}

// In a slice of the kernel's there are some 600.
constexpr long most = 200;

}  // namespace

int main(int, char** arguments) {
  if (!is_bound_to_one(arguments)) return 2;
  std::vector<std::thread> members;
  for (int i = 0; i < 4; ++i) members.emplace_back(polls);
  long in_a_turn = 0;
  std::thread([&] {
    constexpr int turns = 300;
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    while (yields < 1000) sched_yield();
    retries::holds("yields: beside others", 20, [&] {
      const long before = yields;
      for (int i = 0; i < turns; ++i) sched_yield();
      in_a_turn = (yields - before) / turns;
      return in_a_turn <= most;
    });
  }).join();
  is_done = true;
  for (auto& each : members) each.join();
  if (in_a_turn > most) return std::printf("%ld yields in a turn\n", in_a_turn), 1;
  std::puts("ok");
  return 0;
}
