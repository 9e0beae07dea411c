// Boost Graph's answer.
#pragma once

#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>

#include "paths/dijkstra.hpp"

namespace paths {

class boost_graph {
 public:
  explicit boost_graph(const graph& g) {
    std::vector<std::pair<long, long>> edges;
    std::vector<distance> weights;
    for (long from = 0; from < g.vertices; from++)
      for (long to = 0; to < g.vertices; to++) {
        if (g.from(from)[to] == no_edge) continue;
        edges.emplace_back(from, to);
        weights.push_back(g.from(from)[to]);
      }
    graph_ = csr(boost::edges_are_sorted, edges.begin(), edges.end(), weights.begin(), static_cast<std::size_t>(g.vertices));
  }

  bool are_distances(const std::vector<distance>& found, long source) const {
    std::vector<distance> expected(boost::num_vertices(graph_));
    boost::dijkstra_shortest_paths_no_color_map(
        graph_, static_cast<std::size_t>(source),
        boost::weight_map(boost::get(boost::edge_bundle, graph_))
            .distance_map(boost::make_iterator_property_map(expected.begin(), boost::get(boost::vertex_index, graph_))));
    return found == expected;
  }

 private:
  using csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, distance>;
  csr graph_;
};

}  // namespace paths
