// SPDX-License-Identifier: Apache-2.0
// The default waiting policy. It decides by the placement of the team, by the processors that the process may really use, and by
// its observations during waits.
//
//   The waiter has its processor  Spin, and yield every 10 us to ask whether another thread wants the processor: a yield that
//   for itself                    returns at once says no. Sleep where one does, once waiting has cost what a sleep costs.
//   Members of the team share it  Yield at once: the member that all wait for may be the next to run. The same where all teams
//   (or the process is crowded)   of the process together are too large, or members have moved to other processors.
//   Other programs run on it      Sleep. A yield would give the other program a whole time slice (milliseconds), and the
//   (load)                        kernel charges a yield as a used slice, so the team would lose its part of the time too.
//                                 A yield that takes long shows the load.
//
// What a member does in one wait:
//
//     .-------------. not ready  .-------------------------------------. limit reached      .-----------------------.
//     | poll a word |----------->| no load: poll, and yield each 10 us |------------------->| sleep at the gate;    |
//     | 64 times    |            | load:    poll for beside_load()     |  or a yield showed | measure the wake-up   |
//     '-------------'            '-------------------------------------'  that there is load| (wake_up_), look again|
//            |                                      |                                       '-----------------------'
//            '------- ready: leave <----------------'
//
// A member whose processor is oversubscribed polls once, then yields after each poll, and sleeps at once if there is load. A
// member on a virtual processor (src/threads) does the same; its virtual processor polls for a moment before it sleeps.
//
// The next figure shows what the team knows about load, in the words of `experience`. Only long yields, and the passing of time,
// change this state. (last_long_yield_ keeps two members that saw the same slice from counting it twice.)
//
//                       a yield took > long_yield
//     .-------------.   lost_since_, lost_ begin   .-------------.   for `observed`, and at     .------------------------.
//     |  no load    |----------------------------->|  suspected  |   least half of it was lost  |  load: members sleep   |
//     | lost_since_ |                              | lost_since_ |----------------------------->|  until loaded_until_,  |
//     |     = 0     |                              |     > 0     |   loaded_until_, back_off_   |  back_off_ from now    |
//     '-------------'                              '-------------'   are set, lost_since_ = 0   '------------------------'
//            ^                                       |         ^                                             |
//            |                                       '---------'                                             |
//            |                          less than half was lost: begin anew with this yield                  |
//            |                                                                                               |
//            '------------------- loaded_until_ has passed: yields are tried again <-------------------------'
//                   (load that is found again within `longest_back_off` doubles back_off_, up to that length)
//
// The machine may know about load before any team has yielded (yields_cost_slices(); native: src/machine/yield_doubt.hpp).
// Members then wait as in the state `load`.
#pragma once

#include <algorithm>
#include <type_traits>

#include <weir/machine/gate.hpp>
#include <weir/machine/machine.hpp>
#include <weir/waiting.hpp>

namespace weir::waiting {

/// The constants of `auto`, each with its source, in microseconds unless stated otherwise. "Measured" means on the machine of
/// docs/measurements (2 virtual processors of an AMD EPYC, Linux 6.18). Where no measurement is recorded, the comment gives the
/// reasoning.
struct automatic_constants {
  /// Polls before the clock is read for the first time. A poll with its pause takes 26 ns (measured), so 64 take 1.7 us:
  /// more than an episode of any barrier here whose members have a processor each (50 to 150 ns measured), so such a team
  /// reads no clock.
  static constexpr unsigned polls_before_clock = 64;
  /// The time between two yields of a waiter that has a processor to itself. A yield that finds no other thread takes 0.4 us
  /// (measured), which is 4 % of a waiting time that nobody else wants. Another program waits for the processor at most this
  /// long.
  static constexpr double between_yields = 10;
  /// How long a waiter stays awake on a processor that nobody else wants. No measurement is recorded. The time is longer than a
  /// time slice (4 ms measured), so that a member that has lost one slice does not find its team asleep. A member that stayed
  /// awake longer would waste energy, and time of a sibling hyperthread, only to save a wake-up of less than 0.1 ms, 2 % of its
  /// wait.
  static constexpr double longest_awake = 5000;
  /// A yield that takes longer than this has given the processor to another program, not to a member. The limit is shorter than a
  /// slice of Linux's fair scheduler (0.7 to 4 ms), and longer than a round of 16 members that yield to each other (1.2 us for
  /// each switch, measured). A wake-up that takes longer than this is not used to learn the cost of wake-ups. Members that share
  /// a processor yield for at most this time before they sleep: a team that computes as long between two barriers loses nothing
  /// by sleeping.
  static constexpr double long_yield = 500;
  /// How long a suspicion lasts before it counts as load. One long yield may be the end of a CPU quota, which comes once in
  /// a period of 100 ms, or a program that ran for a moment: if one yield were enough, teams under a quota would sleep for
  /// nothing (docs/decisions/waiting.md). 10 ms holds two slices of the longest kind. No measurement of other lengths is
  /// recorded.
  static constexpr double observed = 10e3;
  /// The most for which one yield counts. A slice is at most 4 ms here (measured). A longer yield means throttling, or that the
  /// virtual machine was stopped, and says nothing about other programs.
  static constexpr double longest_slice = 5e3;
  /// How long members sleep instead of yielding, once load is known; twice as long each time that it is found again. A
  /// trial costs `observed` at half speed, 5 ms or more: a quarter of the shortest back-off, 1 % of the longest. The rule
  /// pays: beside one busy process on each of 2 processors an episode of 20 us computing took 0.09 ms by sleeping, 3.5 ms
  /// by yielding (measured). No measurement of other lengths is recorded.
  static constexpr double shortest_back_off = 20e3, longest_back_off = 500e3;
  /// The assumed cost of a wake-up until one has been seen, and the bounds of the time for which a waiter spins beside load
  /// (twice the cost). A wake-up takes 5 us on a busy processor, 20 to 50 us on an idle one in a virtual machine (measured), and
  /// at times up to 100 us. Where the limit fell below a wake-up, a team in step went to sleep in each episode: 224 us for 7 us
  /// of computing (measured). `longest_spin` keeps a few slow wake-ups from making members spin for half of `long_yield` or more.
  static constexpr double first_wake_up = 50, shortest_spin = 20, longest_spin = 250;
  /// How long a waiter spins beside load while woken members have to wait for their processors (one of them has lately, for
  /// `long_yield` or more): twice a wake-up on a busy processor. Other programs run while it sleeps, so latency costs
  /// nothing, and the member that it waits for may have no processor either. 8 programs of 2 threads on 2 processors polled for
  /// `longest_spin` in nearly each wait, 70 % of the time, because those wake-ups were learned, too (measured).
  static constexpr double contended_spin = 10;
};

/// What a team has learned about waiting on this machine; all members share it. Only slow paths write these words, and a lost
/// update costs one wait of the wrong kind, so all accesses are relaxed. Thread-safe.
template <class Machine>
class experience {
  using constants = automatic_constants;

 public:
  /// `awake_us`: how long a member stays awake where nobody else wants its processor; negative: not at all.
  constexpr explicit experience(double awake_us = constants::longest_awake) : awake_us_(awake_us) {}

  /// `oversubscribed`: do members that may not have arrived yet want this processor?
  template <class Word, class Ready>
  bool poll(bool oversubscribed, const Word& word, Ready ready) {
    oversubscribed = oversubscribed || members_have_moved();
    if (Machine::spin(word, ready, oversubscribed ? 1 : constants::polls_before_clock)) return true;
    if (oversubscribed && awake_us_ >= 0 && !loaded() && Machine::switch_until(word, ready, constants::polls_before_clock))
      return true;
    return awake_us_ >= 0 && stay_awake(oversubscribed, word, ready);
  }

  /// Does the caller switch between members, and may they have come to its processor since the team was placed? To poll would
  /// keep them from arriving.
  static bool members_have_moved() { return Machine::crowded() && Machine::switches_in_user_space(); }

  /// Waits until ready: awake until poll() gives up, then asleep at the gate. Learns from how long the wake-up took.
  template <class Word, class Ready>
  void await(bool oversubscribed, const Word& word, typename Machine::gate& gate, Ready ready) {
    no_work none;
    await(oversubscribed, word, gate, ready, none);
  }

  /// The same for a member that can do other work meanwhile. Between polls it calls `work.take()`, which takes work if there is
  /// any. `work.execute()` executes the work that has been taken, and returns whether there was any. The member calls
  /// `work.fall_asleep(gate)` and `work.awake()` around a sleep, so that new work can wake it.
  template <class Word, class Ready, class Work>
  void await(bool oversubscribed, const Word& word, typename Machine::gate& gate, Ready ready, Work& work) {
    const auto either = [&](auto now) { return ready(now) || work.take(); };
    for (;;) {
      if (poll(oversubscribed, word, either)) {
        if (!work.execute()) return;
        continue;
      }
      const std::uint64_t start = Machine::ticks();
      work.fall_asleep(gate);
      // relaxed: the gate orders the look, and poll() acquires what it finds.
      gate.sleep_unless([&] { return either(word.load(std::memory_order_relaxed)); });
      work.awake();
      learn_wake_up(start, gate.opened_at(), Machine::ticks());
    }
  }

 private:
  struct no_work {
    static constexpr bool take() { return false; }
    static constexpr bool execute() { return false; }
    static constexpr void fall_asleep(const auto&) {}
    static constexpr void awake() {}
  };

  using moment = typename Machine::template word<std::uint64_t>;

  static std::uint64_t in_ticks(double microseconds) {
    return static_cast<std::uint64_t>(microseconds * Machine::ticks_per_microsecond());
  }

  bool loaded() const {
    const std::uint64_t until = loaded_until_.load(std::memory_order_relaxed);
    return until != 0 && Machine::ticks() < until;
  }

  template <class Word, class Ready>
  bool stay_awake(bool oversubscribed, const Word& word, Ready ready) {
    oversubscribed |= Machine::crowded();
    const std::uint64_t start = Machine::ticks();
    const bool loaded = start < loaded_until_.load(std::memory_order_relaxed) || Machine::yields_cost_slices(start);
    if (loaded && (oversubscribed || Machine::switches_in_user_space())) return false;
    if (!loaded) Machine::migrate_home(start);
    const double awake = oversubscribed ? std::min(awake_us_, constants::long_yield) : awake_us_;
    const std::uint64_t longest = loaded ? beside_load(start) : std::max(in_ticks(awake), spin_limit());
    for (std::uint64_t before = start; before - start < longest;) {
      if (!oversubscribed && spin_until(before + in_ticks(constants::between_yields), word, ready)) return true;
      if (!loaded) {
        const std::uint64_t asked = Machine::ticks();
        Machine::yield();
        const std::uint64_t answered = Machine::ticks();
        if (answered - asked > in_ticks(constants::long_yield) &&
            (shows_load(asked, answered) || Machine::yields_cost_slices(answered)))
          return ready(word.load(std::memory_order_acquire));
      }
      if (ready(word.load(std::memory_order_acquire))) return true;
      before = Machine::ticks();
    }
    return false;
  }

  template <class Word, class Ready>
  static bool spin_until(std::uint64_t end, const Word& word, Ready ready) {
    do {
      if (Machine::spin(word, ready, constants::polls_before_clock)) return true;
    } while (Machine::ticks() < end);
    return false;
  }

  /// How long a waiter spins beside load: about what a sleep and a wake-up cost, so that a wrong decision costs twice the
  /// least possible (competitive spinning: Karlin, Li, Manasse and Owicki, SOSP 1991). It must be longer than a wake-up
  /// takes: otherwise a member that waits for a woken member goes to sleep meanwhile, has to be woken in turn, and a team
  /// in step sleeps for ever.
  std::uint64_t spin_limit() const {
    const std::uint64_t wake = wake_up_.load(std::memory_order_relaxed);
    return wake == 0 ? in_ticks(2 * constants::first_wake_up)
                     : std::clamp(2 * wake, in_ticks(constants::shortest_spin), in_ticks(constants::longest_spin));
  }

  /// The same beside load at a time, where members may have to wait for a processor.
  std::uint64_t beside_load(std::uint64_t now) const {
    return now < contended_until_.load(std::memory_order_relaxed) ? in_ticks(constants::contended_spin) : spin_limit();
  }

  /// A member went to sleep, was woken, and ran again at these three times.
  void learn_wake_up(std::uint64_t asleep, std::uint64_t woken, std::uint64_t awake) {
    if (woken < asleep || awake < woken) return;  // not woken by this opening of the gate
    if (awake - woken > in_ticks(constants::long_yield)) {
      // Kept from its processor by another program, or by the quota under which members do not stay awake.
      if (awake_us_ > 0) contended_until_.store(awake + in_ticks(constants::longest_back_off), std::memory_order_relaxed);
      return;
    }
    if (awake < contended_until_.load(std::memory_order_relaxed)) return;  // it may have waited for its processor
    const std::uint64_t before = wake_up_.load(std::memory_order_relaxed);
    const std::uint64_t known = before == 0 ? in_ticks(constants::first_wake_up) : before;
    wake_up_.store(std::max<std::uint64_t>((3 * known + (awake - woken)) / 4, 1), std::memory_order_relaxed);
  }

  /// Another program had the processor between the two times. Does the team back off?
  bool shows_load(std::uint64_t from, std::uint64_t to) {
    // Members whose yields began before the last one's end saw the same slice: count it once.
    if (from < last_long_yield_.load(std::memory_order_relaxed)) return false;
    last_long_yield_.store(to, std::memory_order_relaxed);
    const std::uint64_t since = lost_since_.load(std::memory_order_relaxed);
    const std::uint64_t slice = std::min(to - from, in_ticks(constants::longest_slice));
    const std::uint64_t lost = lost_.load(std::memory_order_relaxed) + slice;
    const bool anew = since == 0 || lost < (to - since) / 2;
    lost_since_.store(anew ? from : since, std::memory_order_relaxed);
    lost_.store(anew ? slice : lost, std::memory_order_relaxed);
    if (anew || to - since < in_ticks(constants::observed)) return false;
    lost_since_.store(0, std::memory_order_relaxed);
    lost_.store(0, std::memory_order_relaxed);
    // Load that comes back after a long absence counts as new load.
    const std::uint64_t until = loaded_until_.load(std::memory_order_relaxed), longest = in_ticks(constants::longest_back_off);
    const bool again = until != 0 && from - until < longest;
    const std::uint64_t length =
        again ? std::min(2 * back_off_.load(std::memory_order_relaxed), longest) : in_ticks(constants::shortest_back_off);
    back_off_.store(length, std::memory_order_relaxed);
    loaded_until_.store(to + length, std::memory_order_relaxed);
    return true;
  }

  alignas(line_bytes) const double awake_us_;
  moment wake_up_{0};          // ticks that a wake-up takes; 0: none seen yet
  moment contended_until_{0};  // woken members may have to wait for a processor until then
  moment last_long_yield_{0};  // when the last yield that took long ended
  moment lost_since_{0};       // when load was first suspected; 0: it is not
  moment lost_{0};             // ticks that yields took since then
  moment loaded_until_{0};     // sleep rather than yield until then
  moment back_off_{0};         // the length of the present back-off, in ticks
};

template <class Machine>
class automatic : public detail::policy<Machine, automatic<Machine>> {
 public:
  static constexpr const char* name = "auto";
  static constexpr const char* about =
      "spin while alone on the processor, yield to members that share it, sleep beside other programs";
  static constexpr bool sleeps = true;
  static constexpr bool placed = true;

  // Under a quota each microsecond of waiting awake is taken from the team's own computing.
  explicit automatic(const team& t)
      : work_(t.work),
        experience_(t.awake_us.value_or(t.usable < t.processors ? 0 : automatic_constants::longest_awake)) {
    for (unsigned m = 0; m < t.members; ++m) oversubscribed_.push_back(t.oversubscribed(m));
  }

  template <class Word, class Ready>
  bool poll(unsigned member, const Word& word, Ready ready, co_located others) {
    return experience_.poll(oversubscribed(member, others), word, ready);
  }

  template <class Word, class Ready>
  void await(unsigned member, const Word& word, typename Machine::gate& gate, Ready ready,
             co_located others = co_located::unknown) {
    // The last member to arrive finds the word ready: there is nothing to decide. A member that comes a little earlier, and has
    // its processor for itself, returns from here as well, after as few instructions.
    if (ready(word.load(std::memory_order_acquire))) return;
    if (!oversubscribed(member, others) && !experience<Machine>::members_have_moved() &&
        Machine::spin(word, ready, automatic_constants::polls_before_clock))
      return;
    await_long(member, word, gate, ready, others);
  }

 private:
  // A function of its own, so that the barrier's function saves no registers for it.
  template <class Word, class Ready>
  [[gnu::noinline]] void await_long(unsigned member, const Word& word, typename Machine::gate& gate, Ready ready,
                                    co_located others) {
    if constexpr (std::is_same_v<typename Machine::gate, weir::gate>)
      if (work_ != nullptr) {
        work_of_members::of_one work{*work_, member};
        experience_.await(oversubscribed(member, others), word, gate, ready, work);
        return;
      }
    experience_.await(oversubscribed(member, others), word, gate, ready);
  }

  bool oversubscribed(unsigned member, co_located others) const {
    return oversubscribed_[member] && others == co_located::unknown;
  }

  std::vector<char> oversubscribed_;
  work_of_members* const work_;
  experience<Machine> experience_;
};

}  // namespace weir::waiting
