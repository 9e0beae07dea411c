// The command paths: shortest paths from single sources, by Dijkstra's algorithm over a dense graph.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "paths/check.hpp"
#include "paths/dijkstra.hpp"
#include "team.hpp"

int main(int count, char** words) {
  long vertices = 2048, sources = 40, density = 50;
  workloads::team team("paths");
  workloads::options known("paths", "paths: shortest paths from single sources in a dense graph, by Dijkstra's algorithm.");
  known.whole("--vertices", vertices, 1, 16'384, "of the graph: so many barriers for each source")
      .whole("--sources", sources, 1, 16'384, "searches, one after the other, from the vertices 0, 1, ...")
      .whole("--density", density, 0, 100, "percent of the edges that are there");
  team.add_to(known).read(count, words);
  if (vertices < team.members())
    workloads::refuse("paths", "--vertices " + std::to_string(vertices) + " are fewer than the " +
                                   std::to_string(team.members()) + " threads");
  if (sources > vertices)
    workloads::refuse("paths", "--sources " + std::to_string(sources) + " are more than the " + std::to_string(vertices) +
                                   " vertices");

  const paths::graph graph(vertices, density);
  std::vector<std::vector<paths::distance>> found(static_cast<std::size_t>(sources));
  for (auto& distances : found) distances.resize(static_cast<std::size_t>(vertices));
  paths::shared shared(team.members());
  const workloads::stopwatch watch;
  team.run([&](auto& me) {
    paths::search search(me, graph, shared);
    for (long s = 0; s < sources; s++) search.run(s, found[static_cast<std::size_t>(s)]);
  });
  const double wall = watch.wall(), processor = watch.processor();

  long reached = 0, wrong = 0;
  paths::distance sum = 0;
  const paths::boost_graph check(graph);
  for (long s = 0; s < sources; s++) {
    const auto& distances = found[static_cast<std::size_t>(s)];
    for (const paths::distance d : distances) {
      if (d == paths::unreachable) continue;
      reached++;
      sum += d;
    }
    if (!check.are_distances(distances, s)) wrong++;
  }
  std::printf("%ld vertices, %ld sources, %ld paths, sum of their lengths %llu\n", vertices, sources, reached,
              static_cast<unsigned long long>(sum));
  std::fprintf(stderr, "paths: %s, %.4f s, %.4f s of processors, %.2f us a vertex\n", team.described().c_str(), wall, processor,
               1e6 * wall / static_cast<double>(std::max(reached, 1L)));
  if (wrong == 0) return 0;
  std::fprintf(stderr, "paths: wrong: from %ld sources, not the distances that Boost Graph finds\n", wrong);
  return 1;
}
