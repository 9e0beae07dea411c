#include "histories.hpp"

#include <algorithm>

namespace weir::explorer {

histories::edge histories::edge_here(std::uint64_t seen) const {
  return {seen, 0, static_cast<std::uint16_t>(player_.first_left()), static_cast<std::uint16_t>(player_.last_left()),
          static_cast<std::uint16_t>(player_.completed())};
}

void histories::begin() {
  start_ = edge_here(0);
  start_.to = add_here(0, 0, 0);
}

std::uint32_t histories::add_here(std::uint32_t from, std::uint64_t seen, std::uint32_t depth) {
  const auto fresh = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t n =
      !join_                     ? fresh
      : player_.last_left() != 0 ? leaves_.try_emplace(player_.at_leave(), fresh).first->second
                               : known_.try_emplace(player_.now(), fresh).first->second;
  if (n == fresh) {
    node made;
    made.next = player_.next();
    prints_.note(made.next, member_);
    made.from = from;
    made.seen = seen;
    made.depth = depth;
    made.arrives = static_cast<std::uint16_t>(player_.arrives());
    nodes_.push_back(std::move(made));
    parked_ = fresh;
  } else {
    parked_ = ~0u;  // equivalent to n except for dead data on its stack: n is replayed along its own path
  }
  return n;
}

histories::edge histories::extend(std::uint32_t n, std::uint64_t seen) {
  go_to(n);
  player_.go_on(seen);
  edge e = edge_here(seen);
  e.to = add_here(n, seen, nodes_[n].depth + 1);
  nodes_[n].edges.push_back(e);
  return e;
}

void histories::go_to(std::uint32_t n) {
  if (parked_ == n) return;
  std::vector<std::uint64_t> way;
  for (std::uint32_t at = n; at != 0; at = nodes_[at].from) way.push_back(nodes_[at].seen);
  std::reverse(way.begin(), way.end());
  player_.follow(std::move(way));
  parked_ = n;
}

}  // namespace weir::explorer
