// Threads that compute in phases, with a barrier after each: the program is the same for each barrier.
#pragma once

#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "pools/callers.hpp"
#include "pools/plate.hpp"

namespace pools {

/// `Barrier(threads)` has arrive_and_wait().
template <class Barrier>
void heat(plate& heated, long steps, long threads) {
  Barrier met(threads);
  const auto member = [&](long m) {
    for (long s = 0; s < steps; s++) {
      heated.step(s, m, threads);
      met.arrive_and_wait();
    }
  };
  std::vector<std::thread> team;
  for (long m = 1; m < threads; m++) team.emplace_back(member, m);
  member(0);
  for (std::thread& one : team) one.join();
}

template <class Barrier>
int phases(std::string_view program, std::string_view about, int count, char** words) {
  constexpr double bound = 1e-10;
  long size = 128, steps = 10'000;
  callers by;
  workloads::options known(program, about);
  known.whole("--size", size, 1, 4'096, "points of a plate on each side").whole("--steps", steps, 1, 1'000'000, "of each plate");
  by.add_to(known).read(count, words);

  std::vector<plate> plates;
  for (long j = 0; j < by.jobs; j++) plates.emplace_back(size, static_cast<double>(j + 1));
  const workloads::stopwatch watch;
  by.run([&](long first, long step) {
    for (long j = first; j < by.jobs; j += step) heat<Barrier>(plates[static_cast<std::size_t>(j)], steps, by.threads);
  });
  by.say(program, watch, by.jobs * steps, "phase");

  double sum = 0;
  bool right = true;
  for (const plate& one : plates) {
    sum += one.sum(steps);
    const double error = one.error(steps);
    if (error <= bound) continue;
    std::fprintf(stderr, "%.*s: wrong: a plate is off by %.1e of its temperature\n", static_cast<int>(program.size()),
                 program.data(), error);
    right = false;
  }
  std::printf("%ld plates of %ld x %ld, %ld steps, sum %.12e\n", by.jobs, size, size, steps, sum);
  return right ? 0 : 1;
}

}  // namespace pools
