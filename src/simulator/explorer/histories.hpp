// One member's behaviour as a tree: a node is a local state with the member's next operation; an edge is the value that it reads.
// Each node is computed once (player.hpp), so that the search itself runs no fibers.
//
// If a member reaches the same memory, stack and registers in two ways, the branches join, and the tree becomes a graph. When it
// leaves an episode, the stack need not be compared, because it contains only the explorer's own loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "footprints.hpp"
#include "player.hpp"

namespace weir::explorer {

class histories {
 public:
  struct edge {
    std::uint64_t seen;
    std::uint32_t to;
    // The episode that the member left before `next`; 0: none.
    std::uint16_t first_left = 0, last_left = 0;
    std::uint16_t completed = 0;  // the episode that it completed before leaving; 0: none
  };
  struct node {
    operation next;
    std::uint32_t from = 0;   // the preceding node on the first path here
    std::uint64_t seen = 0;   // and the value read there
    std::uint32_t depth = 0;  // operations so far on that path
    std::uint16_t arrives = 0;  // the episode that it arrives in just before `next`
    std::vector<edge> edges;
    std::vector<std::pair<std::uint64_t, bool>> ready;
  };

  /// The operations in the nodes name slots of `prints`.
  histories(const subject& s, unsigned member, simulator::stacks& stacks, footprints& prints)
      : member_(member), join_(s.join), prints_(prints), player_(s, member, stacks) {
    begin();
  }

  const edge& start() const { return start_; }
  const node& at(std::uint32_t n) const { return nodes_[n]; }
  const std::vector<player::object>& objects() const { return player_.objects(); }
  std::size_t size() const { return nodes_.size(); }

  /// The node that a member reaches when it reads this value.
  edge after(std::uint32_t n, std::uint64_t seen) {
    for (const edge& e : nodes_[n].edges)
      if (e.seen == seen) return e;
    return extend(n, seen);
  }

  /// Whether a member that spins there continues with this value.
  bool ready(std::uint32_t n, std::uint64_t value) {
    for (const auto& [v, is] : nodes_[n].ready)
      if (v == value) return is;
    go_to(n);
    const bool is = player_.ready(value);
    nodes_[n].ready.emplace_back(value, is);
    return is;
  }

 private:
  edge edge_here(std::uint64_t seen) const;
  void begin();
  edge extend(std::uint32_t n, std::uint64_t seen);
  void go_to(std::uint32_t n);
  std::uint32_t add_here(std::uint32_t from, std::uint64_t seen, std::uint32_t depth);

  const unsigned member_;
  const bool join_;
  footprints& prints_;
  player player_;
  std::uint32_t parked_ = 0;  // the player's current node
  std::vector<node> nodes_;
  std::map<digest, std::uint32_t> leaves_, known_;
  edge start_{};
};

}  // namespace weir::explorer
