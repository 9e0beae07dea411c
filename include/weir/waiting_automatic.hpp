// The default way to wait: it decides from the team's placement, the processors that the process
// may really use, and what it sees while waiting.
//
//   alone on its processor   spin, and ask now and then whether somebody else wants the processor: a
//                            yield that comes back at once says no. Sleep when somebody does, and a
//                            sleep and a wake would not cost more than has been waited already.
//   sharing it with members  yield at once: the member that all wait for may be next in line.
//   sharing it with a        sleep. A yield would hand a whole time slice (milliseconds) to the
//   foreign process          other program, and the kernel charges a yield as a used slice, so the
//                            team would lose its share as well. Seen by yields that took long.
#pragma once

#include <algorithm>

#include <weir/machine/machine.hpp>
#include <weir/waiting.hpp>

namespace weir::waiting {

/// What a team learns about waiting here, shared by its members. The words that hold what is learned are written by slow
/// paths only, and a lost update costs one wait of the wrong kind: all relaxed.
template <class Machine>
class experience {
 public:
  // Polls before the first look at the clock.
  static constexpr unsigned glance = 64;

  /// `awake_us`: how long a member stays awake where nobody else wants its processor; negative: not at all.
  constexpr explicit experience(double awake_us = longest_awake_us) : awake_us_(awake_us) {}

  /// `share`: do members that may not have arrived yet want this processor?
  template <class Word, class Ready>
  bool poll(bool share, const Word& word, Ready ready) {
    if (Machine::spin(word, ready, share ? 1 : glance)) return true;
    return awake_us_ >= 0 && stay_awake(share, word, ready);
  }

  /// Waits until ready: awake as long as poll() does, then asleep at the gate, and learns from how long a wake-up took.
  template <class Word, class Ready>
  void await(bool share, const Word& word, typename Machine::gate& gate, Ready ready) {
    while (!poll(share, word, ready)) {
      const std::uint64_t start = Machine::ticks();
      // relaxed: the gate orders the look, and poll() acquires what it finds.
      gate.sleep_unless([&] { return ready(word.load(std::memory_order_relaxed)); });
      learn(start, gate.opened_at(), Machine::ticks());
    }
  }

 private:
  using moment = typename Machine::template word<std::uint64_t>;

  // In microseconds. A slice of Linux's fair scheduler is 0.7 to 4 ms; a team whose own members
  // compute as long as that between two barriers loses nothing by sleeping either.
  static constexpr double foreign_slice = 500;
  // A long yield may be the end of a quota, which comes once in a period (100 ms), or somebody who was there for a moment. Who
  // stays takes more than half of the time, and no slice of it is longer than this.
  static constexpr double observed = 10e3, longest_slice = 5e3;
  // Then the team sleeps for a time, and tries yields again, which costs it slices if the foreign
  // process is still there: so twice as long from one trial to the next.
  static constexpr double shortest_retreat = 20e3, longest_retreat = 500e3;
  // Between two yields of a member that shares its processor with nobody.
  static constexpr double watch = 10;
  // To wake a member takes 5 us on a busy processor, and 20 to 100 on one that idles in a virtual machine.
  static constexpr double first_guess = 50, least = 20, most = 250;

  static std::uint64_t in_ticks(double microseconds) {
    return static_cast<std::uint64_t>(microseconds * Machine::ticks_per_microsecond());
  }

  template <class Word, class Ready>
  bool stay_awake(bool share, const Word& word, Ready ready) {
    const std::uint64_t start = Machine::ticks();
    const bool beside_foreign = start < crowded_until_.load(std::memory_order_relaxed);
    if (share && beside_foreign) return false;
    if (!beside_foreign) Machine::settle(start);
    const double awake = share ? std::min(awake_us_, foreign_slice) : awake_us_;
    const std::uint64_t longest = beside_foreign ? patience() : std::max(in_ticks(awake), patience());
    for (std::uint64_t before = start; before - start < longest;) {
      if (!share && watch_until(before + in_ticks(watch), word, ready)) return true;
      if (!beside_foreign) {
        const std::uint64_t asked = Machine::ticks();
        Machine::yield();
        const std::uint64_t answered = Machine::ticks();
        if (answered - asked > in_ticks(foreign_slice) && meets_foreign(asked, answered))
          return ready(word.load(std::memory_order_acquire));
      }
      if (ready(word.load(std::memory_order_acquire))) return true;
      before = Machine::ticks();
    }
    return false;
  }

  template <class Word, class Ready>
  static bool watch_until(std::uint64_t end, const Word& word, Ready ready) {
    do {
      if (Machine::spin(word, ready, glance)) return true;
    } while (Machine::ticks() < end);
    return false;
  }

  /// How long staying awake is worth it beside others: about what a sleep and a wake cost, so that whoever decides wrongly
  /// pays twice the least. It must be longer than it takes to wake a member: else whoever waits for a woken member goes to
  /// sleep over it, has to be woken in turn, and a team in step never gets out of sleeping again.
  std::uint64_t patience() const {
    const std::uint64_t wake = wake_up_.load(std::memory_order_relaxed);
    return wake == 0 ? in_ticks(2 * first_guess) : std::clamp(2 * wake, in_ticks(least), in_ticks(most));
  }

  /// Went to sleep, was woken by somebody, was awake.
  void learn(std::uint64_t asleep, std::uint64_t woken, std::uint64_t awake) {
    // Not woken by this opening, or kept from its processor by somebody else.
    if (woken < asleep || awake < woken || awake - woken > in_ticks(foreign_slice)) return;
    const std::uint64_t before = wake_up_.load(std::memory_order_relaxed);
    const std::uint64_t known = before == 0 ? in_ticks(first_guess) : before;
    wake_up_.store(std::max<std::uint64_t>((3 * known + (awake - woken)) / 4, 1), std::memory_order_relaxed);
  }

  /// Somebody else had the processor between the two moments. Is it time to leave it to him?
  bool meets_foreign(std::uint64_t from, std::uint64_t to) {
    // Members whose yields began before the last one's end saw the same slice: count it once.
    if (from < long_yield_.load(std::memory_order_relaxed)) return false;
    long_yield_.store(to, std::memory_order_relaxed);
    const std::uint64_t since = lost_since_.load(std::memory_order_relaxed), slice = std::min(to - from, in_ticks(longest_slice));
    const std::uint64_t lost = lost_.load(std::memory_order_relaxed) + slice;
    const bool anew = since == 0 || lost < (to - since) / 2;
    lost_since_.store(anew ? from : since, std::memory_order_relaxed);
    lost_.store(anew ? slice : lost, std::memory_order_relaxed);
    if (anew || to - since < in_ticks(observed)) return false;
    lost_since_.store(0, std::memory_order_relaxed);
    lost_.store(0, std::memory_order_relaxed);
    // A foreign process that comes back after a long absence is met as a new one.
    const std::uint64_t until = crowded_until_.load(std::memory_order_relaxed), longest = in_ticks(longest_retreat);
    const bool again = until != 0 && from - until < longest;
    const std::uint64_t length =
        again ? std::min(2 * retreat_.load(std::memory_order_relaxed), longest) : in_ticks(shortest_retreat);
    retreat_.store(length, std::memory_order_relaxed);
    crowded_until_.store(to + length, std::memory_order_relaxed);
    return true;
  }

  alignas(line_bytes) const double awake_us_;
  moment wake_up_{0};        // ticks that a wake-up takes; 0: none seen yet
  moment long_yield_{0};     // the end of the last yield that took long
  moment lost_since_{0};     // the beginning of those that are looked at together; 0: none
  moment lost_{0};           // ticks in them
  moment crowded_until_{0};  // sleep rather than yield until then
  moment retreat_{0};        // ticks of the present retreat
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
  explicit automatic(const team& t) : experience_(t.awake_us.value_or(t.usable < t.processors ? 0 : longest_awake_us)) {
    for (unsigned m = 0; m < t.members; ++m) shared_.push_back(t.shares(m));
  }

  template <class Word, class Ready>
  bool poll(unsigned member, const Word& word, Ready ready, company others) {
    return experience_.poll(shares(member, others), word, ready);
  }

  template <class Word, class Ready>
  void await(unsigned member, const Word& word, typename Machine::gate& gate, Ready ready,
             company others = company::unknown) {
    // Who comes last finds all there: nothing to decide. Who comes a little earlier, and has the
    // processor to itself, is let go from here as well, with as few instructions.
    if (ready(word.load(std::memory_order_acquire))) return;
    if (!shares(member, others) && Machine::spin(word, ready, experience<Machine>::glance)) return;
    await_long(member, word, gate, ready, others);
  }

 private:
  // Apart, so that the barrier's own function needs no registers saved for it.
  template <class Word, class Ready>
  [[gnu::noinline]] void await_long(unsigned member, const Word& word, typename Machine::gate& gate, Ready ready,
                                    company others) {
    experience_.await(shares(member, others), word, gate, ready);
  }

  bool shares(unsigned member, company others) const { return shared_[member] && others == company::unknown; }

  std::vector<char> shared_;
  experience<Machine> experience_;
};

}  // namespace weir::waiting
