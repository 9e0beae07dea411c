// The command intervals: threads that compute for a given time between barriers.
#include <omp.h>

#include <cstdio>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "work.hpp"

namespace {

struct alignas(128) member {
  std::uint64_t state = 0;
  long episode = 0, early = 0;  // early: barriers that it left before its neighbour had arrived
};

void intervals(std::vector<member>& team, long steps, long episodes) {
#pragma omp parallel
  {
    const std::size_t count = team.size(), number = static_cast<std::size_t>(omp_get_thread_num());
    member& me = team[number];
    const member& neighbour = team[(number + 1) % count];
    std::uint64_t state = number;
    for (long e = 0; e < episodes; e++) {
      state = workloads::chain(state, steps);
#pragma omp atomic write
      me.episode = e + 1;
#pragma omp barrier
      long seen;
#pragma omp atomic read
      seen = neighbour.episode;
      if (seen < e + 1) me.early++;
    }
    me.state = state;
  }
}

}  // namespace

int main(int count, char** words) {
  long work_us = 20, episodes = 10'000, steps = 0;
  workloads::options("intervals", "intervals: threads that compute between barriers.")
      .whole("--work", work_us, 0, 100'000, "microseconds of computing before each barrier")
      .whole("--episodes", episodes, 1, 100'000'000, "barriers")
      .whole("--steps", steps, 0, 1'000'000'000, "of the computation, instead of --work's; 0: by --work")
      .read(count, words);

  volatile std::uint64_t kept = 0;
  const double step_us = workloads::microseconds_of_one([&](long n) { kept = workloads::chain(kept, n); }, 100'000);
  if (steps == 0) steps = static_cast<long>(static_cast<double>(work_us) / step_us);

  std::vector<member> team(static_cast<std::size_t>(omp_get_max_threads()));
  const workloads::stopwatch watch;
  intervals(team, steps, episodes);
  const double wall = watch.wall(), processor = watch.processor();

  const double members = static_cast<double>(team.size()), each = static_cast<double>(episodes);
  const double computed = 1e-6 * step_us * static_cast<double>(steps) * each * members;
  std::printf("%zu threads, %ld episodes\n", team.size(), episodes);
  std::fprintf(stderr,
               "intervals: %zu threads, %ld steps, %.3f us an episode, %.4f s, %.4f s of processors, %.3f of them computed\n",
               team.size(), steps, 1e6 * wall / each, wall, processor, computed / processor);
  bool right = true;
  for (std::size_t m = 0; m < team.size(); m++) {
    if (team[m].early == 0 && team[m].state == workloads::chain(m, steps * episodes)) continue;
    std::fprintf(stderr, "intervals: wrong: thread %zu left %ld barriers early, or did not compute what it should\n", m,
                 team[m].early);
    right = false;
  }
  return right ? 0 : 1;
}
