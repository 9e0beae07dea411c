// The command sort: odd-even transposition sort.
#include <cstdio>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "sort/transposition.hpp"
#include "team.hpp"

int main(int count, char** words) {
  long size = 50'000;
  workloads::team team("sort");
  workloads::options known("sort", "sort: odd-even transposition sort.");
  known.whole("--keys", size, 1, 1'000'000, "keys: so many phases, each with a barrier");
  team.add_to(known).read(count, words);
  if (size / 2 < team.members() && team.members() > 1)
    workloads::refuse("sort", "--keys " + std::to_string(size) + " make " + std::to_string(size / 2) + " pairs, fewer than the " +
                                  std::to_string(team.members()) + " threads");

  std::vector<sort::key> keys = sort::keys(size);
  const workloads::stopwatch watch;
  team.run([&](auto& me) { sort::transposition_sort(me, keys); });
  const double wall = watch.wall(), processor = watch.processor();

  const auto at = [&](long part) { return keys[static_cast<std::size_t>((size - 1) * part / 4)]; };
  std::printf("%ld keys, quartiles %u %u %u %u %u\n", size, at(0), at(1), at(2), at(3), at(4));
  std::fprintf(stderr, "sort: %s, %.4f s, %.4f s of processors, %.2f us a phase\n", team.described().c_str(), wall, processor,
               1e6 * wall / static_cast<double>(size));
  if (sort::are_sorted_keys(keys, sort::keys(size))) return 0;
  std::fprintf(stderr, "sort: wrong: the keys are not as std::sort sorts them\n");
  return 1;
}
