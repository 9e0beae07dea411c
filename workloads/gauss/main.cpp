// The command gauss: systems of linear equations by Gaussian elimination.
#include <cstdio>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "gauss/check.hpp"
#include "gauss/elimination.hpp"
#include "options.hpp"
#include "team.hpp"

int main(int count, char** words) {
  long size = 512, systems = 40;
  workloads::team team("gauss");
  workloads::options known("gauss", "gauss: systems of linear equations by Gaussian elimination with partial pivoting.");
  known.whole("--size", size, 1, 8192, "equations of each system: so many barriers")
      .whole("--systems", systems, 1, 1000, "systems, one after the other");
  team.add_to(known).read(count, words);
  if (size + 1 < team.members())
    workloads::refuse("gauss", "--size " + std::to_string(size) + " makes " + std::to_string(size + 1) +
                                   " columns, fewer than the " + std::to_string(team.members()) + " threads");
  if (constexpr long most = 4096; size * size * systems > most << 17)
    workloads::refuse("gauss", "--size " + std::to_string(size) + " --systems " + std::to_string(systems) + " need " +
                                   std::to_string((size * size * systems) >> 17) + " MiB; allowed are " + std::to_string(most));

  workloads::let_callers_compute();
  std::vector<gauss::system> equations;
  for (long s = 0; s < systems; s++) equations.push_back(gauss::equations(size, static_cast<std::uint64_t>(s)));
  const workloads::stopwatch watch;
  team.run([&](auto& me) {
    for (gauss::system& s : equations) gauss::eliminate(me, s);
  });
  const double wall = watch.wall(), processor = watch.processor();

  double sum = 0;
  long wrong = 0;
  for (long s = 0; s < systems; s++) {
    const std::vector<double> x = gauss::solution(equations[static_cast<std::size_t>(s)]);
    for (const double value : x) sum += value;
    if (!gauss::is_solution(x, gauss::equations(size, static_cast<std::uint64_t>(s)))) wrong++;
  }
  std::printf("%ld systems of %ld equations, sum of the solutions %.17g\n", systems, size, sum);
  std::fprintf(stderr, "gauss: %s, %.4f s, %.4f s of processors, %.2f us a barrier\n", team.described().c_str(), wall, processor,
               1e6 * wall / static_cast<double>(size * systems));
  if (wrong == 0) return 0;
  std::fprintf(stderr, "gauss: wrong: %ld solutions are not those of LAPACK's dgesv\n", wrong);
  return 1;
}
