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

/// How long to wait awake before a sleep, learned from the sleeps. The words that hold what is learned
/// are written by slow paths only, and a lost update costs one wait of the wrong kind: all relaxed.
template <class Machine>
class patience {
 public:
  /// In microseconds. It must be longer than it takes to wake a member on an idle processor (20 to
  /// 50 us in a virtual machine): else whoever waits for a woken member goes to sleep over it, has to
  /// be woken in turn, and a team in step never gets out of sleeping again.
  constexpr explicit patience(double longest) : longest_(longest) {}

  std::uint64_t ticks() const {
    const std::uint64_t now = now_.load(std::memory_order_relaxed);
    return now == 0 ? in_ticks(longest_) : now;
  }

  /// A long sleep says that staying awake was in vain; a short one that a little more of it would
  /// have been enough.
  void learn(std::uint64_t slept) {
    const std::uint64_t longest = in_ticks(longest_);
    if (slept > 4 * longest)
      now_.store(std::max(ticks() / 2, in_ticks(shortest)), std::memory_order_relaxed);
    else if (slept < 2 * longest)
      now_.store(longest, std::memory_order_relaxed);
  }

  static std::uint64_t in_ticks(double microseconds) {
    return static_cast<std::uint64_t>(microseconds * Machine::ticks_per_microsecond());
  }

 private:
  static constexpr double shortest = 1;

  const double longest_;
  typename Machine::template word<std::uint64_t> now_{0};  // 0: nothing learned yet, the longest
};

/// What a team learns about waiting here, shared by its members.
template <class Machine>
class experience {
 public:
  // Polls before the first look at the clock.
  static constexpr unsigned glance = 64;

  constexpr explicit experience(bool under_quota = false)
      // Under a quota each microsecond of spinning is taken from the team's own computing.
      : spinning_(under_quota ? 50 : 100), yielding_(500) {}

  /// `share`: do members that may not have arrived yet want this processor?
  template <class Word, class Ready>
  bool poll(bool share, const Word& word, Ready ready) {
    if (Machine::spin(word, ready, share ? 1 : glance)) return true;
    return share ? yield_until(word, ready) : spin_until(word, ready);
  }

  /// Sleeps at the gate after poll() gave up, and learns from how long that took.
  template <class Word, class Ready>
  void sleep(bool share, const Word& word, typename Machine::gate& gate, Ready ready) {
    const std::uint64_t start = Machine::ticks();
    do gate.sleep_unless([&] { return ready(word.load(std::memory_order_acquire)); });
    while (!poll(share, word, ready));
    (share ? yielding_ : spinning_).learn(Machine::ticks() - start);
  }

 private:
  using moment = typename Machine::template word<std::uint64_t>;

  // In microseconds. A slice of Linux's fair scheduler is 0.7 to 4 ms; a team whose own members
  // compute as long as that between two barriers loses nothing by sleeping either.
  static constexpr double foreign_slice = 500;
  // After a long yield the team sleeps for a time, then tries a yield again, which costs it a
  // slice if the foreign process is still there: so twice as long from one trial to the next.
  static constexpr double shortest_retreat = 20e3, longest_retreat = 500e3;

  static std::uint64_t in_ticks(double microseconds) { return patience<Machine>::in_ticks(microseconds); }

  template <class Word, class Ready>
  bool spin_until(const Word& word, Ready ready) {
    const std::uint64_t patience = spinning_.ticks();
    const std::uint64_t start = Machine::ticks();
    do {
      if (Machine::spin(word, ready, glance)) return true;
    } while (Machine::ticks() - start < patience);
    return false;
  }

  template <class Word, class Ready>
  bool yield_until(const Word& word, Ready ready) {
    const std::uint64_t too_long = in_ticks(foreign_slice), patience = yielding_.ticks();
    const std::uint64_t start = Machine::ticks();
    if (start < crowded_until_.load(std::memory_order_relaxed)) return false;
    for (std::uint64_t before = start; before - start < patience;) {
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

  alignas(line_bytes) patience<Machine> spinning_;
  patience<Machine> yielding_;
  moment crowded_until_{0};  // sleep rather than yield until then
  moment retreat_{0};        // ticks of the present retreat
};

template <class Machine>
class automatic : public detail::policy<Machine, automatic<Machine>> {
 public:
  static constexpr const char* name = "auto";
  static constexpr bool sleeps = true;

  explicit automatic(const team& t) : experience_(t.usable < t.processors) {
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
    if (!poll(member, word, ready, others)) experience_.sleep(shares(member, others), word, gate, ready);
  }

  bool shares(unsigned member, company others) const { return shared_[member] && others == company::unknown; }

  std::vector<char> shared_;
  experience<Machine> experience_;
};

}  // namespace weir::waiting
