// How often threads meet that wait by polling, alone or beside processes that compute.
//
//   weir-meetings THREADS OTHERS SECONDS
//
// Prints the meetings in a second. To be run plain and by `weir run`.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include "meeting.hpp"
#include "number.hpp"

int main(int count, char** words) try {
  if (count != 4) throw std::invalid_argument("usage: weir-meetings THREADS OTHERS SECONDS");
  const unsigned members = bench::whole_number_in("THREADS", words[1], 1, 1024),
                 others = bench::whole_number_in("OTHERS", words[2], 0, 1024);
  const std::chrono::duration<double> lasts(bench::number_in("SECONDS", words[3], 0.01, 3600));
  bench::busy_processes busy(others);
  bench::meeting at;
  std::atomic<bool> ends{false};
  using clock = std::chrono::steady_clock;
  const auto ends_at = clock::now() + lasts;
  const auto run = [&](bool first) {
    while (!ends.load(std::memory_order_relaxed)) {
      at.pass(members);
      if (first && clock::now() > ends_at) ends.store(true, std::memory_order_relaxed);  // all see it after the next meeting
      at.pass(members);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < members; ++i) threads.emplace_back(run, i == 0);
  for (std::thread& each : threads) each.join();
  std::printf("%.0f\n", at.count() / lasts.count());
} catch (const std::exception& why) {
  std::fprintf(stderr, "weir-meetings: %s\n", why.what());
  return 2;
}
