// SPDX-License-Identifier: Apache-2.0
// Runs a plan in shared memory.
//
// A seat is the place of one participant of the plan. Several members may have one seat (in the combination
// barrier [paper 000, section 3.3] a seat is a processor): they meet first in a central barrier of that seat,
// and the last of them to arrive takes part in the plan for all.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/barriers/plan_steps.hpp>
#include <weir/barriers/proof.hpp>
#include <weir/machine/machine.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir {

/// The seat of each member: seat_of[member] < seats, and every seat has a member.
struct seating {
  std::vector<unsigned> seat_of;
  unsigned seats = 0;

  static seating one_each(unsigned members);
  /// The members of one processor have one seat. Seats are numbered in the order of their first members.
  static seating by_processor(const team& t);
};

namespace barriers {

template <class Machine, template <class> class Waiting>
class plan_barrier {
 public:
  /// Takes any plan, and proves it first. Throws std::invalid_argument if the proof fails, or if the plan does not have as many
  /// participants as the team has members.
  plan_barrier(const team& t, const plan& p) : plan_barrier(t, proven(p), seating::one_each(t.members)) {}

  void arrive_and_wait(unsigned member) {
    membership& me = members_[member];
    const seat& own = seats_[me.seat];
    const std::uint32_t episode = me.episode++;
    meet_on_seat(member, episode, [&](co_located others) { run_steps(member, own.actions.get(), own.end, episode, others); });
  }

  /// Can it run a completion between its two phases? If so, the member that takes part for seat 0 runs it.
  bool completes() const { return halves_; }

  /// `completion` runs once, after all members have arrived and before any leaves. Precondition: completes().
  template <class Completion>
  void arrive_and_wait(unsigned member, Completion&& completion) {
    assert(halves_ && "weir: a completion was given to a barrier that has no two halves");
    membership& me = members_[member];
    seat& own = seats_[me.seat];
    const std::uint32_t episode = me.episode++;
    meet_on_seat(member, episode, [&](co_located others) {
      run_steps(member, own.actions.get(), own.gathered, episode, others);
      if (me.seat == 0) completion();
      run_steps(member, own.gathered, own.end, episode, others);
    });
  }

  std::size_t bytes() const {
    return sizeof(*this) + member_count_ * sizeof(membership) + seat_count_ * sizeof(seat) + line_count_ * sizeof(line) +
           steps_of_all_ * sizeof(action);
  }

 protected:
  /// Without a proof.
  plan_barrier(const team& t, const plan& p, const seating& s)
      : member_count_(t.members),
        seat_count_(s.seats),
        line_count_(p.lines),
        parities_(p.parities),
        halves_(p.halves),
        members_(std::make_unique<membership[]>(t.members)),
        seats_(std::make_unique<seat[]>(s.seats)),
        lines_(std::make_unique<line[]>(p.lines)),
        waiting_(t) {
    if (p.participants() != s.seats)
      throw std::invalid_argument("weir: the plan " + p.name + " is for " + std::to_string(p.participants()) +
                                  " participants, the team takes " + std::to_string(s.seats) + " seats");
    std::vector<unsigned> members_of(s.seats, 0);
    for (const unsigned seat_number : s.seat_of) ++members_of[seat_number];
    for (unsigned m = 0; m < t.members; ++m) {
      members_[m].seat = s.seat_of[m];
      members_[m].on_seat = members_of[s.seat_of[m]];
    }
    lay_out(p);
  }

 private:
  using steps = plan_steps<Machine>;
  using flag = typename steps::flag;
  using line = typename steps::line;
  using action = typename steps::action;

  struct alignas(line_bytes) membership {
    std::uint32_t episode = 0;
    unsigned seat = 0;
    unsigned on_seat = 1;  // members of this seat
  };
  struct alignas(line_bytes) seat {
    typename Machine::template word<std::uint32_t> arrived{0};
    std::unique_ptr<action[]> actions;
    const action* gathered = nullptr;  // the first of the release half
    const action* end = nullptr;
    alignas(line_bytes) typename Machine::template word<std::uint32_t> released{0};
    typename Machine::gate gate;
  };

  void lay_out(const plan& p) {
    std::vector<unsigned> used(p.lines, 0);
    std::vector<flag*> flags(p.slots());
    for (std::uint32_t slot = 0; slot < p.slots(); ++slot)
      flags[slot] = &lines_[p.slot_line[slot]].flags[2 * used.at(p.slot_line[slot])++];
    for (unsigned i = 0; i < seat_count_; ++i) {
      const auto& script = p.scripts[i];
      const std::size_t length = script.arrival.size() + script.release.size();
      seats_[i].actions = std::make_unique<action[]>(length);
      seats_[i].gathered = seats_[i].actions.get() + script.arrival.size();
      seats_[i].end = seats_[i].actions.get() + length;
      steps_of_all_ += length;
      action* next = seats_[i].actions.get();
      for (const auto* half : {&script.arrival, &script.release})
        for (const step& s : *half) *next++ = {flags[s.slot], &lines_[p.slot_line[s.slot]].gate, steps::of(s.act)};
    }
  }

  /// Members of one seat meet; the last to arrive runs `make_steps` for all.
  template <class Steps>
  void meet_on_seat(unsigned member, std::uint32_t episode, Steps make_steps) {
    const membership& me = members_[member];
    seat& own = seats_[me.seat];
    if (me.on_seat == 1) {
      make_steps(co_located::unknown);
      return;
    }
    // acq_rel: publishes this member's writes; the last member acquires those of all.
    if (own.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == me.on_seat) {
      // relaxed: no member adds to it in the next episode before the release below.
      own.arrived.store(0, std::memory_order_relaxed);
      make_steps(co_located::waiting);
      // release: what the steps acquired, for the others of this seat.
      own.released.store(episode + 1, std::memory_order_release);
      waiting_.wake(own.gate);
      return;
    }
    waiting_.await(member, own.released, own.gate, [episode](std::uint32_t now) { return now == episode + 1; });
  }

  // Not inline: most members of a seat wait for the one that runs the steps, and save no registers for them.
  [[gnu::noinline]] void run_steps(unsigned member, const action* a, const action* end, std::uint32_t episode,
                                   co_located others) {
    steps::run(waiting_, member, a, end, parities_, episode, others);
  }

  const unsigned member_count_;
  const unsigned seat_count_;
  const std::uint32_t line_count_;
  const unsigned parities_;
  const bool halves_;
  const std::unique_ptr<membership[]> members_;
  const std::unique_ptr<seat[]> seats_;
  const std::unique_ptr<line[]> lines_;
  std::size_t steps_of_all_ = 0;
  Waiting<Machine> waiting_;
};

}  // namespace barriers
}  // namespace weir
