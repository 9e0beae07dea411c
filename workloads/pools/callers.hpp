// What the programs with a pool of their own share: the options of the pool, callers that share the jobs, and the last line.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"

namespace pools {

/// `callers` threads of the program, each with a pool of `threads` of its own. They divide `jobs`, which are independent.
struct callers {
  long threads = static_cast<long>(std::thread::hardware_concurrency()), count = 1, jobs = 4;

  workloads::options& add_to(workloads::options& known) {
    return known.whole("--threads", threads, 1, 1'024, "threads of a pool")
        .whole("--callers", count, 1, 256, "threads that work at the same time, each with a pool of its own")
        .whole("--jobs", jobs, 1, 10'000, "independent jobs, which the callers divide");
  }

  /// `body(first, step)` executes the jobs first, first + step, ...
  void run(const std::function<void(long, long)>& body) const {
    std::vector<std::thread> others;
    for (long c = 1; c < count; c++) others.emplace_back([&body, c, this] { body(c, count); });
    body(0, count);
    for (std::thread& one : others) one.join();
  }

  /// On stderr, in one piece. `parts` of the work are named, and get the mean time of one.
  void say(std::string_view program, const workloads::stopwatch& watch, long parts, const char* name) const {
    const double wall = watch.wall(), processor = watch.processor();
    const std::string called = count > 1 ? ", " + std::to_string(count) + " callers" : "";
    std::fprintf(stderr, "%.*s: %ld threads, %.6f s, %.6f s of processors, %.2f us a %s%s\n", static_cast<int>(program.size()),
                 program.data(), threads, wall, processor, 1e6 * wall / static_cast<double>(parts), name, called.c_str());
  }
};

}  // namespace pools
