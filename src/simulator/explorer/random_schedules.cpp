#include <algorithm>
#include <numeric>

#include "explorer.hpp"
#include "timeline.hpp"

namespace weir::explorer {

namespace {

// splitmix64: the same numbers everywhere.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  std::uint64_t state_;
};

/// A member and its store buffer have separate priorities, so buffers may be drained late.
class one_schedule {
 public:
  one_schedule(rules& r, dice& d, unsigned changes, std::size_t expected_steps)
      : rules_(r), dice_(d), priority_(2 * r.members()) {
    std::iota(priority_.begin(), priority_.end(), changes);
    for (std::size_t i = priority_.size(); i > 1; --i) std::swap(priority_[i - 1], priority_[d.below(i)]);
    for (unsigned c = 0; c < changes; ++c) changes_.push_back(d.below(expected_steps));
  }

  breach run(std::vector<move>& schedule) {
    breach found;
    state s = rules_.begin(found);
    std::vector<move> moves;
    while (!found) {
      rules_.moves(s, moves);
      if (moves.empty()) return rules_.judge_end(s);
      move m = first_of(moves);
      for (unsigned c = 0; c < changes_.size(); ++c)
        if (changes_[c] == schedule.size()) {
          priority_[place(m)] = c;
          m = first_of(moves);
        }
      m = one_value(moves, m);
      schedule.push_back(m);
      found = rules_.apply(s, m);
    }
    return found;
  }

 private:
  static std::size_t place(move m) { return 2u * m.member + m.drain; }
  move first_of(const std::vector<move>& moves) const {
    return *std::max_element(moves.begin(), moves.end(),
                             [this](move a, move b) { return priority_[place(a)] < priority_[place(b)]; });
  }

  /// Any of the values that a member may read under weak memory.
  move one_value(std::vector<move>& moves, move m) {
    std::erase_if(moves, [m](move other) { return place(other) != place(m); });
    return moves.size() == 1 ? m : moves[dice_.below(moves.size())];
  }

  rules& rules_;
  dice& dice_;
  std::vector<std::size_t> priority_;
  std::vector<std::size_t> changes_;
};

}  // namespace

verdict explore_at_random(const subject& s, const random_settings& how) {
  rules r(s, how.memory, how.most_steps);
  verdict v;
  v.complete = false;
  dice d(how.seed);
  std::size_t steps = 1;  // of the longest schedule so far
  for (unsigned i = 0; i < how.schedules && !v.found; ++i) {
    v.schedule.clear();
    const auto recorded = r.recorded();
    v.found = one_schedule(r, d, how.changes, steps).run(v.schedule);
    if (r.recorded() != recorded) v.found = {};  // its first states lacked something
    steps = std::max(steps, v.schedule.size());
    v.reached.transitions += v.schedule.size();
    v.reached.schedules += 1;
    if (how.go_on && !how.go_on(v.reached)) break;
  }
  v.reached.local_states = r.local_states();
  v.holds = !v.found;
  if (v.found)
    explain(r, v);
  else
    v.schedule.clear();
  return v;
}

}  // namespace weir::explorer
