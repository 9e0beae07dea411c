// The command intervals: threads that compute for a given time between barriers. The synthetic program of paper 000, section 4.1.
#include <cstdio>
#include <vector>

#include "clocks.hpp"
#include "intervals/computing.hpp"
#include "options.hpp"
#include "team.hpp"
#include "work.hpp"

int main(int count, char** words) {
  long work_us = 20, episodes = 10'000, steps = 0, imbalance = 0;
  workloads::team team("intervals");
  workloads::options known("intervals", "intervals: threads that compute between barriers.");
  known.whole("--work", work_us, 0, 100'000, "microseconds of computing before each barrier")
      .whole("--episodes", episodes, 1, 100'000'000, "barriers")
      .whole("--steps", steps, 0, 1'000'000'000, "of the computation, instead of --work's; 0: by --work")
      .whole("--imbalance", imbalance, 0, 100, "percent by which an interval may be shorter or longer, at random");
  team.add_to(known).read(count, words);

  volatile std::uint64_t kept = 0;
  const double step_us = workloads::microseconds_of_one([&](long n) { kept = workloads::chain(kept, n); }, 100'000);
  if (steps == 0) steps = static_cast<long>(static_cast<double>(work_us) / step_us);
  const intervals::length of{steps, imbalance};

  std::vector<intervals::record> records(static_cast<std::size_t>(team.members()));
  const workloads::stopwatch watch;
  team.run([&](auto& me) { intervals::compute(me, records, of, episodes); });
  const double wall = watch.wall(), processor = watch.processor();

  double computed = 0;
  long wrong = 0;
  for (long m = 0; m < team.members(); m++) {
    const intervals::record& record = records[static_cast<std::size_t>(m)];
    computed += 1e-6 * step_us * static_cast<double>(intervals::total(of, m, episodes));
    if (intervals::is_right(record, of, m, episodes)) continue;
    std::fprintf(stderr, "intervals: wrong: thread %ld left %ld barriers early, or did not compute what it should\n", m,
                 record.early);
    wrong++;
  }
  std::printf("%ld threads, %ld episodes\n", team.members(), episodes);
  std::fprintf(stderr, "intervals: %s, %ld steps, %.3f us an episode, %.4f s, %.4f s of processors, %.3f of them computed\n",
               team.described().c_str(), steps, 1e6 * wall / static_cast<double>(episodes), wall, processor,
               computed / processor);
  return wrong == 0 ? 0 : 1;
}
