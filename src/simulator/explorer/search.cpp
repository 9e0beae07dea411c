#include <deque>

#include "explorer.hpp"
#include "reduction.hpp"
#include "timeline.hpp"
#include "visited.hpp"

namespace weir::explorer {

namespace {

class search {
 public:
  search(rules& r, const settings& how) : rules_(r), how_(how) {}

  enum class end { done, stopped, learned };

  end run(verdict& v) {
    const std::uint64_t version = rules_.prints().version();
    const auto recorded = rules_.recorded();
    if (!push(rules_.begin(v.found))) return end::stopped;
    if (!v.found && frames_[0].moves.empty()) v.found = rules_.judge_end(frames_[0].at);
    if (v.found) return end::done;
    while (depth_ != 0) {
      frame& f = frames_[depth_ - 1];
      if (f.next == f.moves.size()) {
        pop();
        continue;
      }
      const move m = f.moves[f.next++];
      if (frames_.size() == depth_) frames_.emplace_back();
      state& after = frames_[depth_].at;
      after = frames_[depth_ - 1].at;
      v.found = rules_.apply(after, m);
      ++reached.transitions;
      if (!v.found && !enter()) return end::stopped;
      if (!v.found && depth_ != 0 && frames_[depth_ - 1].moves.empty()) v.found = rules_.judge_end(frames_[depth_ - 1].at);
      if (v.found) {
        for (std::size_t d = 0; d < depth_; ++d)
          if (frames_[d].next != 0) v.schedule.push_back(frames_[d].moves[frames_[d].next - 1]);
        return end::done;
      }
      if (how_.reduce && rules_.prints().version() != version) return end::learned;
      if (rules_.recorded() != recorded) return end::learned;
    }
    return end::done;
  }

  counts reached;

 private:
  struct frame {
    state at;
    digest key;
    std::vector<move> moves;
    std::size_t next = 0;
    double schedules = 0;
  };

  bool push(state s) {
    if (frames_.empty()) frames_.emplace_back();
    frames_[0].at = std::move(s);
    return enter();
  }

  // Searches the state in frames_[depth_]. False: stop.
  bool enter() {
    frame& f = frames_[depth_];
    f.key = rules_.digest_of(f.at);
    const auto [entry, fresh] = visited_.find_or_add(f.key);
    if (!fresh) {
      frames_[depth_ - 1].schedules += entry->schedules;
      return true;
    }
    f.next = 0;
    f.schedules = 0;
    rules_.moves(f.at, all_);
    if (how_.reduce)
      reduce(rules_, f.at, all_, f.moves);
    else
      f.moves = all_;
    if (f.moves.empty()) f.schedules = 1;
    ++depth_;
    if (++reached.states >= how_.most_states) return false;
    return (reached.states & 0xffffu) != 0 || !how_.go_on || how_.go_on(reached);
  }

  void pop() {
    const frame& f = frames_[--depth_];
    visited_.find_or_add(f.key).first->schedules = f.schedules;
    if (depth_ == 0)
      reached.schedules = f.schedules;
    else
      frames_[depth_ - 1].schedules += f.schedules;
  }

  rules& rules_;
  const settings& how_;
  std::deque<frame> frames_;
  std::size_t depth_ = 0;
  visited visited_;
  std::vector<move> all_;
};

}  // namespace

verdict explore(const subject& s, const settings& how) {
  rules r(s, how.memory, how.most_steps, how.meant);
  verdict v;
  for (bool again = true; again;) {
    search one(r, how);
    const auto end = one.run(v);
    v.complete = end == search::end::done && !v.found;
    v.reached = one.reached;
    again = end == search::end::learned;
  }
  v.reached.local_states = r.local_states();
  v.holds = !v.found;
  if (v.found) explain(r, v);
  return v;
}

}  // namespace weir::explorer
