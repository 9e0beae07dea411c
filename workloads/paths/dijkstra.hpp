// Dijkstra's algorithm over a matrix of weights: each member has a block of the vertices. A barrier for each vertex.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "random.hpp"

namespace paths {

using distance = std::uint64_t;
constexpr distance unreachable = std::numeric_limits<distance>::max();
constexpr std::uint32_t no_edge = std::numeric_limits<std::uint32_t>::max();

/// Directed. A row of weights for each vertex: those of the edges that leave it.
struct graph {
  /// Each edge is there with a probability of `density` percent, with a weight of 1 to 1,000,000.
  graph(long count, long density) : vertices(count), weights(static_cast<std::size_t>(count * count)) {
    std::mt19937_64 random(static_cast<std::uint64_t>(count));
    for (std::uint32_t& weight : weights) {
      const bool there = workloads::draw_below(random, 100) < static_cast<std::uint32_t>(density);
      weight = there ? 1 + workloads::draw_below(random, 1'000'000) : no_edge;
    }
  }

  const std::uint32_t* from(long vertex) const { return weights.data() + vertex * vertices; }

  long vertices;
  std::vector<std::uint32_t> weights;
};

/// The nearest vertex of a member that is not settled. In a cache line of its own.
struct alignas(128) nearest {
  distance at = unreachable;
  long vertex = -1;
};

/// The data that the members of a search share. The candidates of a step are read only until the next barrier, so two sets of
/// candidates and one barrier a step suffice.
struct shared {
  explicit shared(long members)
      : candidates{std::vector<nearest>(static_cast<std::size_t>(members)),
                   std::vector<nearest>(static_cast<std::size_t>(members))} {}
  std::vector<nearest> candidates[2];
};

/// One member's part of the searches, one after the other.
template <class Member>
class search {
 public:
  search(Member& me, const graph& g, shared& common)
      : me_(me),
        graph_(g),
        common_(common),
        first_(g.vertices * me.number() / me.count()),
        end_(g.vertices * (me.number() + 1) / me.count()),
        settled_(static_cast<std::size_t>(end_ - first_)) {}

  /// The distances of all vertices from `source`. All members call it; each writes those of its vertices.
  void run(long source, std::vector<distance>& distances) {
    settled_.assign(settled_.size(), false);
    for (long v = first_; v < end_; v++) distances[static_cast<std::size_t>(v)] = unreachable;
    nearest own;
    if (first_ <= source && source < end_) own = {distances[static_cast<std::size_t>(source)] = 0, source};
    for (long step = 0; step < graph_.vertices; step++) {
      const nearest next = nearest_of_all(own);
      if (next.at == unreachable) break;  // so for all members
      own = settle(next, distances);
    }
  }

 private:
  nearest nearest_of_all(const nearest& own) {
    std::vector<nearest>& candidates = common_.candidates[turn_++ % 2];
    candidates[static_cast<std::size_t>(me_.number())] = own;
    me_.barrier();
    nearest least = candidates[0];
    for (long m = 1; m < me_.count(); m++)
      if (const nearest& candidate = candidates[static_cast<std::size_t>(m)]; candidate.at < least.at) least = candidate;
    return least;
  }

  /// Follows the edges of a vertex to the member's own vertices, and looks for the nearest of these.
  nearest settle(const nearest& vertex, std::vector<distance>& distances) {
    if (first_ <= vertex.vertex && vertex.vertex < end_) settled_[static_cast<std::size_t>(vertex.vertex - first_)] = true;
    const std::uint32_t* const weights = graph_.from(vertex.vertex);
    nearest least;
    for (long v = first_; v < end_; v++) {
      if (settled_[static_cast<std::size_t>(v - first_)]) continue;
      distance& known = distances[static_cast<std::size_t>(v)];
      if (weights[v] != no_edge && vertex.at + weights[v] < known) known = vertex.at + weights[v];
      if (known < least.at) least = {known, v};
    }
    return least;
  }

  Member& me_;
  const graph& graph_;
  shared& common_;
  const long first_, end_;
  std::vector<char> settled_;  // of its own vertices
  unsigned turn_ = 0;
};

}  // namespace paths
