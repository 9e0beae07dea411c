// The command regions: a few parallel regions with little work each, in a program that ends soon, so that creating the team takes
// most of the time.
#include <omp.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "work.hpp"

namespace {

struct alignas(64) part {
  std::uint64_t at;
};

std::uint64_t begins(std::size_t number) { return number + 1; }

}  // namespace

int main(int count, char** words) {
  long regions = 10, steps = 20'000, parts = 16;
  workloads::options("regions", "regions: parallel regions of equal work, the first of which makes the team.")
      .whole("--regions", regions, 1, 10'000'000, "parallel regions")
      .whole("--steps", steps, 0, 1'000'000'000, "of computing in a region, by all of its threads together")
      .whole("--parts", parts, 1, 4'096, "into which a region's work is divided")
      .read(count, words);

  std::vector<part> computed(static_cast<std::size_t>(parts));
  for (std::size_t p = 0; p < computed.size(); p++) computed[p].at = begins(p);
  const long each = steps / parts;
  int threads = 1;

  const workloads::stopwatch watch;
  for (long r = 0; r < regions; r++) {
#pragma omp parallel
    {
#pragma omp single nowait
      threads = omp_get_num_threads();
#pragma omp for schedule(static) nowait
      for (std::size_t p = 0; p < computed.size(); p++) computed[p].at = workloads::chain(computed[p].at, each);
    }
  }
  const double wall = watch.wall(), processor = watch.processor();

  std::uint64_t sum = 0;
  for (const part& one : computed) sum += one.at;
  std::printf("%ld regions, the parts' sum is %016" PRIx64 "\n", regions, sum);
  std::fprintf(stderr, "regions: %d threads, %.6f s, %.6f s of processors, %.2f us a region\n", threads, wall, processor,
               1e6 * wall / static_cast<double>(regions));
  for (std::size_t p = 0; p < computed.size(); p++)
    if (workloads::chain(begins(p), each * regions) != computed[p].at) {
      std::fprintf(stderr, "regions: wrong: part %zu was not computed once in each region\n", p);
      return 1;
    }
  return 0;
}
