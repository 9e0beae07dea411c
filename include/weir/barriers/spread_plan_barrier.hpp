// SPDX-License-Identifier: Apache-2.0
// Runs a plan in shared memory, for large teams: each member is the first to write the lines that it awaits, so that the system
// puts them into the memory near it. If one thread wrote all of them first, the memory beside it would serve all members. Lines
// of neighbours share pages, and neighbours are near each other.
//
// While a member waits or computes it asks for the lines that it is to signal next (plan_steps.hpp): in a large team a signal's
// way is longer than what that costs. But not in the release, where all await their flags already.
//
// A line must not be signalled before its member has made it. In the first episode the members therefore make their lines, and
// meet in a central barrier; the plan serves all later episodes.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/barriers/plan_steps.hpp>
#include <weir/machine/machine.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir::barriers {

template <class Machine, template <class> class Waiting>
class spread_plan_barrier {
 public:
  void arrive_and_wait(unsigned member) {
    membership& me = members_[member];
    if (!me.has_lines) [[unlikely]] {
      begin(member, [] {});
      return;
    }
    run(member, me.actions.get(), me.end, me.episode++);
  }

  /// Can it run a completion between its two phases?
  bool completes() const { return halves_; }

  /// `completion` runs once, after all members have arrived and before any leaves. Precondition: completes().
  template <class Completion>
  void arrive_and_wait(unsigned member, Completion&& completion) {
    assert(halves_ && "weir: a completion was given to a barrier that has no two halves");
    membership& me = members_[member];
    if (!me.has_lines) [[unlikely]] {
      begin(member, completion);
      return;
    }
    const std::uint32_t episode = me.episode++;
    run(member, me.actions.get(), me.gathered, episode);
    if (member == 0) completion();
    run(member, me.gathered, me.end, episode);
  }

  std::size_t bytes() const {
    return sizeof(*this) + member_count_ * sizeof(membership) + line_count_ * sizeof(line) + steps_of_all_ * sizeof(action);
  }

 protected:
  /// Without a proof.
  spread_plan_barrier(const team& t, const plan& p)
      : member_count_(t.members),
        line_count_(p.lines),
        parities_(p.parities),
        halves_(p.halves),
        members_(std::make_unique<membership[]>(t.members)),
        memory_(new unmade[p.lines]),
        waiting_(t) {
    if (p.participants() != t.members)
      throw std::invalid_argument("weir: the plan " + p.name + " is for " + std::to_string(p.participants()) +
                                  " participants, the team has " + std::to_string(t.members) + " members");
    lay_out(p, divided(p));
    if constexpr (words_come_first)
      for (unsigned m = 0; m < member_count_; ++m) make_lines(m);
  }

 private:
  using steps = plan_steps<Machine>;
  using line = typename steps::line;
  using action = typename steps::action;
  using doing = typename steps::doing;
  static constexpr auto await = step::action::await;
  static_assert(std::is_trivially_destructible_v<line>);

  struct alignas(line_bytes) membership {
    std::unique_ptr<action[]> actions;
    const action* gathered = nullptr;  // the first of the release half
    const action* end = nullptr;
    std::uint32_t episode = 0;         // of those by the plan
    bool has_lines = false;            // and has met the others
    unsigned first_line = 0, lines = 0;
  };
  struct alignas(line) unmade {
    std::byte bytes[sizeof(line)];  // not written by the constructor
  };

  // The explorer numbers all words before the members run.
  static constexpr bool words_come_first = requires { Machine::words_come_first; };

  line* at(unsigned which) const { return reinterpret_cast<line*>(memory_.get()) + which; }

  /// The place of each of the plan's lines in memory. A line belongs to the first member that awaits a flag of it; the lines of a
  /// member follow each other.
  std::vector<unsigned> divided(const plan& p) {
    constexpr unsigned nobodys = std::numeric_limits<unsigned>::max();
    std::vector<unsigned> place(p.lines, nobodys);
    unsigned next = 0;
    for (unsigned m = 0; m < member_count_; ++m) {
      members_[m].first_line = next;
      for (const auto* half : {&p.scripts[m].arrival, &p.scripts[m].release})
        for (const step& s : *half)
          if (s.act == step::action::await && place[p.line_of(s.slot)] == nobodys) place[p.line_of(s.slot)] = next++;
      members_[m].lines = next - members_[m].first_line;
    }
    return place;
  }

  void lay_out(const plan& p, const std::vector<unsigned>& place) {
    std::vector<unsigned> used(p.lines, 0), flags(p.slots());  // of a slot: which flags of its line
    for (std::uint32_t slot = 0; slot < p.slots(); ++slot) flags[slot] = 2 * used.at(p.line_of(slot))++;
    for (unsigned m = 0; m < member_count_; ++m) {
      const auto action_of = [&](const step& s, doing what) {
        line* const there = at(place[p.line_of(s.slot)]);
        return action{&there->flags[flags[s.slot]], &there->gate, what};
      };
      const auto& [arrival, release] = p.scripts[m];
      std::vector<action> actions;
      for (auto s = arrival.begin(); s != arrival.end(); ++s) {
        if (s->act == await && (s == arrival.begin() || s[-1].act != await))
          for_next_signals(s, arrival.end(), [&](const step& next) { actions.push_back(action_of(next, doing::request)); });
        actions.push_back(action_of(*s, steps::of(s->act)));
      }
      const std::size_t gathered = actions.size();
      for (const step& s : release) actions.push_back(action_of(s, steps::of(s.act)));
      if (!arrival.empty() && arrival.front().act != await)
        for_next_signals(arrival.begin(), arrival.end(),
                         [&](const step& next) { actions.push_back(action_of(next, doing::request_for_next)); });
      membership& me = members_[m];
      me.actions = std::make_unique<action[]>(actions.size());
      std::copy(actions.begin(), actions.end(), me.actions.get());
      me.gathered = me.actions.get() + gathered;
      me.end = me.actions.get() + actions.size();
      steps_of_all_ += actions.size();
    }
  }

  /// The signals after the awaits that begin here, up to the awaits after them.
  template <class Step, class Use>
  static void for_next_signals(Step s, Step end, Use use) {
    while (s != end && s->act == await) ++s;
    for (; s != end && s->act != await; ++s) use(*s);
  }

  void make_lines(unsigned member) {
    for (unsigned i = 0; i < members_[member].lines; ++i) ::new (at(members_[member].first_line + i)) line;
  }

  template <class Completion>
  [[gnu::cold]] void begin(unsigned member, Completion&& completion) {
    membership& me = members_[member];
    if constexpr (!words_come_first) make_lines(member);
    if constexpr (requires { Machine::has_made(memory_.get(), std::size_t{}); })
      Machine::has_made(at(me.first_line), me.lines * sizeof(line));
    // acq_rel: publishes the member's writes, its lines among them; the last member acquires those of all.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == member_count_) {
      completion();
      met_.store(1, std::memory_order_release);  // release: all that it has acquired, and the completion
      waiting_.wake(met_gate_);
    } else {
      waiting_.await(member, met_, met_gate_, [](std::uint32_t now) { return now == 1; });
    }
    me.has_lines = true;
  }

  [[gnu::noinline]] void run(unsigned member, const action* a, const action* end, std::uint32_t episode) {
    steps::template run<true>(waiting_, member, a, end, parities_, episode, co_located::unknown);
  }

  const unsigned member_count_;
  const std::uint32_t line_count_;
  const unsigned parities_;
  const bool halves_;
  const std::unique_ptr<membership[]> members_;
  const std::unique_ptr<unmade[]> memory_;
  std::size_t steps_of_all_ = 0;
  Waiting<Machine> waiting_;
  // Of the first episode.
  alignas(line_bytes) typename Machine::template word<std::uint32_t> arrived_{0};
  alignas(line_bytes) typename Machine::template word<std::uint32_t> met_{0};
  typename Machine::gate met_gate_;
};

}  // namespace weir::barriers
