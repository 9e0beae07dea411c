// Threads of which none ever waits, in a program that handles the signal of ticks for a while: afterwards they are called in all
// the same.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "../../openmp/driving_thread.h"

namespace {

/// Some have been called in before the program gives the signal back.
bool are_called_in_too_early() {
  using namespace std::chrono;
  signal(SIGURG, [](int) {});
  std::atomic<bool> some{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([&] {
      while (!some)
        if (driving_thread() != gettid()) some = true;
    });
  // Longer than the first calls are apart.
  for (const auto end = steady_clock::now() + milliseconds(300); steady_clock::now() < end;) continue;
  const bool too_early = some;
  signal(SIGURG, SIG_DFL);
  while (!some) continue;
  for (std::thread& each : threads) each.join();
  return too_early;
}

}  // namespace

int main(int words, char** word) {
  if (words > 1) return are_called_in_too_early() ? 1 : 0;
  // Several times: whether the last call falls into the time when the program has the signal is a matter of luck.
  const std::string once = std::string(word[0]) + " once";
  for (int i = 0; i < 8; ++i)
    if (std::system(once.c_str()) != 0) return std::puts("called in by the program's handler"), 1;
  std::puts("ok");
}
