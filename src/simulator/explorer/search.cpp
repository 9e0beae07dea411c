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
    constexpr auto never = ~std::uint64_t{0};
    std::uint64_t enough = never;
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
      frames_[depth_].whose = frames_[depth_ - 1].whose.after(m);
      v.found = rules_.apply(after, m);
      ++reached.transitions;
      if (!v.found && !enter()) return end::stopped;
      if (!v.found && depth_ != 0 && frames_[depth_ - 1].moves.empty()) v.found = rules_.judge_end(frames_[depth_ - 1].at);
      if (v.found) {
        for (std::size_t d = 0; d < depth_; ++d)
          if (frames_[d].next != 0) v.schedule.push_back(frames_[d].moves[frames_[d].next - 1]);
        return end::done;
      }
      if (rules_.recorded() != recorded) return end::learned;
      // It goes on for as long as so far, since there may be more to learn.
      if (how_.reduce && rules_.prints().version() != version) enough = std::min(enough, 2 * reached.states);
      if (reached.states >= enough) return end::learned;
    }
    return enough == never ? end::done : end::learned;
  }

  counts reached;

 private:
  /// The member that has moved last, and how often another one has moved although the last one could. Of a bounded search.
  struct turn {
    static constexpr unsigned nobody = ~0u;
    unsigned member = nobody;
    unsigned preemptions = 0;
    turn after(move m) const {
      if (m.drain) return *this;  // by the memory
      return {m.member, preemptions + (member != nobody && m.member != member)};
    }
  };
  struct frame {
    state at;
    turn whose;
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
    if (is_bounded()) note_turn(f);
    const auto [entry, fresh] = visited_.find_or_add(f.key);
    if (!fresh) {
      frames_[depth_ - 1].schedules += entry->schedules;
      return true;
    }
    f.next = 0;
    f.schedules = 0;
    rules_.moves(f.at, moves_);
    if (is_bounded())
      bound(f);
    else if (how_.reduce)
      reduce(rules_, f.at, moves_, f.moves);
    else
      f.moves = moves_;
    if (f.moves.empty()) f.schedules = 1;
    ++depth_;
    if (++reached.states >= how_.most_states) return false;
    return (reached.states & 0xffffu) != 0 || !how_.go_on || how_.go_on(reached);
  }

  bool is_bounded() const { return how_.most_preemptions != settings::unlimited; }

  /// If the last member has to wait, any other may move.
  void note_turn(frame& f) {
    if (f.whose.member != turn::nobody && !rules_.can_move(f.at, f.whose.member)) f.whose.member = turn::nobody;
    digester d;
    d.add(f.key.high);
    d.add(f.key.low);
    d.add(std::uint64_t{f.whose.member} << 32 | f.whose.preemptions);
    f.key = d.result();
  }
  void bound(frame& f) {
    f.moves = moves_;
    const unsigned last = f.whose.member;
    if (last == turn::nobody) return;
    if (f.whose.preemptions == how_.most_preemptions || (how_.reduce && is_independent(rules_, f.at, last)))
      std::erase_if(f.moves, [last](move m) { return m.member != last && !m.drain; });
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
  std::vector<move> moves_;
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
