// The default way to wait: it decides from the team's placement, the processors that the process
// may really use, and what it sees while waiting.
//
//   alone on its processor   spin, as long as a sleep and a wake would cost; then sleep.
//   sharing it with members  yield at once: the member that all wait for may be next in line.
//   sharing it with a        sleep. A yield would hand a whole time slice (milliseconds) to the
//   foreign process          other program, and the kernel charges a yield as a used slice, so the
//                            team would lose its share as well. Seen by a yield that took long.
#pragma once

#include <weir/machine/machine.hpp>
#include <weir/waiting.hpp>

namespace weir::waiting {

/// What a team learns about waiting here. All of it lies in words that only slow paths write, shared
/// by the members: a lost update costs one wait of the wrong kind, so every access is relaxed.
template <class Machine>
class experience {
 public:
  /// `longest_patience`: microseconds to spin before a sleep, at most.
  constexpr explicit experience(double longest_patience = usual_patience) : longest_patience_(longest_patience) {}

  static constexpr double usual_patience = 25;
  // Under a quota each microsecond of spinning is taken from the team's own computing.
  static constexpr double patience_under_quota = 5;

  /// `share`: do members that may not have arrived yet want this processor?
  template <class Word, class Ready>
  bool poll(bool share, const Word& word, Ready ready) {
    if (detail::spin_for<Machine>(share ? 1 : glance, word, ready)) return true;
    return share ? yield_until(word, ready) : spin_until(word, ready);
  }

  /// Sleeps at the gate after poll() gave up, and learns from how long that took.
  template <class Word, class Ready>
  void sleep(bool share, const Word& word, typename Machine::gate& gate, Ready ready) {
    const std::uint64_t start = Machine::ticks();
    do gate.sleep_unless([&] { return ready(word.load(std::memory_order_acquire)); });
    while (!poll(share, word, ready));
    learn(Machine::ticks() - start);
  }

 private:
  using moment = typename Machine::template word<std::uint64_t>;

  // Polls before the first look at the clock.
  static constexpr unsigned glance = 64;
  // Yields of one wait. A team in step needs one or two; who needs more waits for a slow member.
  static constexpr unsigned most_yields = 32;
  // In microseconds. A slice of Linux's fair scheduler is 0.7 to 4 ms; a team whose own members
  // compute as long as that between two barriers loses nothing by sleeping (about 10 us) either.
  static constexpr double foreign_slice = 500;
  static constexpr double shortest_patience = 1;
  // After a long yield the team sleeps for a time, then tries a yield again, which costs it a
  // slice if the foreign process is still there: so twice as long from one trial to the next.
  static constexpr double shortest_retreat = 20e3, longest_retreat = 2.5e6;

  static std::uint64_t in_ticks(double microseconds) {
    return static_cast<std::uint64_t>(microseconds * Machine::ticks_per_microsecond());
  }

  template <class Word, class Ready>
  bool spin_until(const Word& word, Ready ready) {
    std::uint64_t patience = patience_.load(std::memory_order_relaxed);
    if (patience == 0) patience = in_ticks(longest_patience_);  // nothing learned yet
    const std::uint64_t start = Machine::ticks();
    do {
      if (detail::spin_for<Machine>(glance, word, ready)) return true;
    } while (Machine::ticks() - start < patience);
    return false;
  }

  template <class Word, class Ready>
  bool yield_until(const Word& word, Ready ready) {
    const std::uint64_t too_long = in_ticks(foreign_slice);
    std::uint64_t before = Machine::ticks();
    if (before < crowded_until_.load(std::memory_order_relaxed)) return false;
    for (unsigned i = 0; i < most_yields; ++i) {
      Machine::yield();
      const std::uint64_t after = Machine::ticks();
      const bool done = ready(word.load(std::memory_order_acquire));
      if (after - before > too_long) {
        retreat(before, after);
        return done;
      }
      if (done) return true;
      before = after;
    }
    return false;
  }

  // A foreign process took the processor between the two moments.
  void retreat(std::uint64_t before, std::uint64_t after) {
    // Members whose yields began before the last retreat saw the same foreign slice: count it once.
    const std::uint64_t until = crowded_until_.load(std::memory_order_relaxed);
    if (before < until) return;
    // A foreign process that comes back after a long absence is met as a new one.
    const std::uint64_t longest = in_ticks(longest_retreat);
    const bool again = until != 0 && before - until < longest;
    const std::uint64_t length =
        again ? std::min(2 * retreat_.load(std::memory_order_relaxed), longest) : in_ticks(shortest_retreat);
    retreat_.store(length, std::memory_order_relaxed);
    crowded_until_.store(after + length, std::memory_order_relaxed);
  }

  // A member slept, its patience spent. A long sleep says that the spinning was in vain, a short
  // one that a little more of it would have been enough.
  void learn(std::uint64_t slept) {
    const std::uint64_t longest = in_ticks(longest_patience_);
    if (slept > 4 * longest) {
      std::uint64_t patience = patience_.load(std::memory_order_relaxed);
      if (patience == 0) patience = longest;
      patience_.store(std::max(patience / 2, in_ticks(shortest_patience)), std::memory_order_relaxed);
    } else if (slept < 2 * longest) {
      patience_.store(longest, std::memory_order_relaxed);
    }
  }

  const double longest_patience_;
  alignas(line_bytes) moment patience_{0};  // ticks of spinning before a sleep; 0: the longest
  moment crowded_until_{0};                 // sleep rather than yield until then
  moment retreat_{0};                       // ticks of the present retreat
};

template <class Machine>
class automatic : public detail::policy<Machine, automatic<Machine>> {
 public:
  static constexpr const char* name = "auto";
  static constexpr bool sleeps = true;

  explicit automatic(const team& t)
      : experience_(t.usable < t.processors ? experience<Machine>::patience_under_quota
                                            : experience<Machine>::usual_patience) {
    for (unsigned m = 0; m < t.members; ++m) shared_.push_back(t.shares(m));
  }

  template <class Word, class Ready>
  bool poll(unsigned member, const Word& word, Ready ready, company others) {
    return experience_.poll(shares(member, others), word, ready);
  }

  template <class Word, class Ready>
  void await(unsigned member, const Word& word, typename Machine::gate& gate, Ready ready,
             company others = company::unknown) {
    // Who comes last finds all there: nothing to decide.
    if (ready(word.load(std::memory_order_acquire))) return;
    if (!poll(member, word, ready, others)) experience_.sleep(shares(member, others), word, gate, ready);
  }

 private:
  bool shares(unsigned member, company others) const { return shared_[member] && others == company::unknown; }

  std::vector<char> shared_;
  experience<Machine> experience_;
};

}  // namespace weir::waiting
