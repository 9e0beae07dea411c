// How often threads meet that wait by polling, alone or beside processes that compute.
//
//   weir-meetings THREADS OTHERS SECONDS
//
// Prints the meetings in a second. To be run plain and by `weir run`.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "number.hpp"

namespace {

using clock = std::chrono::steady_clock;

std::atomic<unsigned> arrived{0}, meeting{0};
std::atomic<bool> ends{false};

// A centralized barrier, as programs have it. The last resets the counter before it lets the others go (release), and they come
// back after they have seen that (acquire).
void meet(unsigned all) {
  const unsigned now = meeting.load(std::memory_order_relaxed);
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
    arrived.store(0, std::memory_order_relaxed);
    meeting.store(now + 1, std::memory_order_release);
    return;
  }
  while (meeting.load(std::memory_order_acquire) == now) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

pid_t start_other() {
  const pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == parent) {
  }
  _exit(0);
}

}  // namespace

int main(int count, char** words) try {
  if (count != 4) throw std::invalid_argument("usage: weir-meetings THREADS OTHERS SECONDS");
  const unsigned all = bench::whole_number_in("THREADS", words[1], 1, 1024), others = bench::whole_number_in("OTHERS", words[2], 0, 1024);
  const std::chrono::duration<double> lasts(bench::number_in("SECONDS", words[3], 0.01, 3600));
  std::vector<pid_t> children;
  for (unsigned i = 0; i < others; ++i) children.push_back(start_other());
  const auto ends_at = clock::now() + lasts;
  const auto run = [&](bool first) {
    while (!ends.load(std::memory_order_relaxed)) {
      meet(all);
      if (first && clock::now() > ends_at) ends.store(true, std::memory_order_relaxed);  // all see it after the next meeting
      meet(all);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < all; ++i) threads.emplace_back(run, i == 0);
  for (std::thread& each : threads) each.join();
  for (const pid_t each : children) {
    kill(each, SIGKILL);
    waitpid(each, nullptr, 0);
  }
  std::printf("%.0f\n", meeting.load() / lasts.count());
} catch (const std::exception& why) {
  std::fprintf(stderr, "weir-meetings: %s\n", why.what());
  return 2;
}
