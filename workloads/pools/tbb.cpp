// The command pool-tbb: oneTBB's parallel_for whose bodies are parallel_for themselves.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "pools/callers.hpp"
#include "pools/parts.hpp"

int main(int count, char** words) {
  namespace tbb = oneapi::tbb;
  long rounds = 400, outer = 8, inner = 8, steps = 2'500;
  pools::callers by;
  workloads::options known("pool-tbb", "pool-tbb: oneTBB's parallel_for within parallel_for.");
  known.whole("--rounds", rounds, 1, 1'000'000, "outer loops, one after another")
      .whole("--outer", outer, 1, 10'000, "iterations of the outer loop")
      .whole("--inner", inner, 1, 10'000, "iterations of each inner loop")
      .whole("--steps", steps, 2, 1'000'000'000, "of computing in an inner iteration, in the mean");
  by.add_to(known).read(count, words);

  // Otherwise there are as many threads as processors, however many the arenas have room for.
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism,
                                 static_cast<std::size_t>(by.threads * by.count));
  std::vector<pools::parts> jobs(static_cast<std::size_t>(by.jobs), pools::parts(outer * inner, steps));
  const workloads::stopwatch watch;
  by.run([&](long first, long step) {
    tbb::task_arena arena(static_cast<int>(by.threads));
    for (long j = first; j < by.jobs; j += step) {
      pools::parts& job = jobs[static_cast<std::size_t>(j)];
      for (long r = 0; r < rounds; r++)
        arena.execute([&] {
          tbb::parallel_for(0L, outer, [&](long o) {
            tbb::parallel_for(0L, inner, [&](long i) { job.advance(static_cast<std::size_t>(o * inner + i)); });
          });
        });
    }
  });
  by.say("pool-tbb", watch, by.jobs * rounds, "round");
  return pools::finish("pool-tbb", jobs, rounds);
}
