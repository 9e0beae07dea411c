// Windows of some executions as before and windows with an alternative, in turn: which take less time?
//
// A window is compared only with others of the same minute, so the state of the machine matters little; paper 003 compares
// overheads in this way. A trial ends early where the answer is plain.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

namespace weir::openmp {

/// The least, the middle and the largest of some times, in ticks of the clock; or of what one time is of another.
struct spread {
  float least = 0, middle = 0, most = 0;
};
inline spread ratio(const spread& a, const spread& to) { return {a.least / to.most, a.middle / to.middle, a.most / to.least}; }
inline spread product(const spread& a, const spread& b) { return {a.least * b.least, a.middle * b.middle, a.most * b.most}; }

/// Times are in ticks. Not thread-safe.
class trial_windows {
 public:
  /// A part of a window ends after this number of executions, but not before this number of ticks has passed.
  struct part {
    unsigned executions;
    std::uint64_t ticks = 0;
    bool has_passed(unsigned have_been, std::uint64_t since) const { return have_been >= executions && since >= ticks; }
  };
  /// What does not count, because threads move and memory changes hands, and what does.
  struct lengths {
    part before, counted;
  };
  static constexpr unsigned pairs = 5;

  trial_windows() = default;
  /// The first window begins then, at the earliest.
  explicit trial_windows(lengths of, std::uint64_t begin_at = 0) : of_(of), begin_at_(begin_at) {}

  /// Is the next execution one with the alternative?
  bool is_other() const { return is_other_; }
  /// Has the last execution begun a window?
  bool is_first() const { return at_ == 1; }
  /// Has this window with the alternative lasted so long already that it need not be waited for?
  bool is_hopeless(std::uint64_t now) const { return is_other_ && at_ != 0 && now - opened_ > hopeless * whole_; }
  /// How many windows have ended.
  unsigned ended() const { return window_; }

  /// The next execution begins. Returns false where no other one is needed.
  bool next(std::uint64_t now) {
    if (now < begin_at_) return true;
    if (is_hopeless(now)) {
      close(now, static_cast<float>(now - opened_) / static_cast<float>(at_));
      is_given_up_ = true;
      return false;
    }
    if (counts_ && of_.counted.has_passed(at_ - skipped_, now - begun_)) {
      close(now, static_cast<float>(now - begun_) / static_cast<float>(at_ - skipped_));
      if (window_ == 2 * pairs || (window_ % 2 == 0 && (bad_ == most_bad || is_plainly_better()))) return false;
      is_other_ = !is_other_;
      at_ = 0;
      counts_ = false;
    }
    if (at_ == 0) opened_ = now;
    if (!counts_ && of_.before.has_passed(at_, now - opened_)) {
      counts_ = true;
      begun_ = now;
      skipped_ = at_;
    }
    ++at_;
    return true;
  }

  spread usual() const { return spread_of(usual_, (window_ + 1) / 2); }
  spread other() const { return spread_of(other_, window_ / 2); }
  /// The ticks that the windows with the alternative have taken longer.
  std::uint64_t lost() const { return lost_; }
  /// Is the alternative faster, seen from its windows? `on_evidence`: all of them but one are faster than the fastest without; of
  /// alike alternatives one trial in 42 finds that. Otherwise the middle one is.
  bool is_better(bool on_evidence) const {
    if (is_plainly_better()) return true;
    if (window_ != 2 * pairs || is_given_up_) return false;
    const float least = usual().least;
    const auto faster = std::count_if(other_.begin(), other_.end(), [=](float time) { return time < least; });
    return on_evidence ? faster >= static_cast<long>(pairs) - 1 : other().middle < usual().middle;
  }

 private:
  static constexpr unsigned most_bad = 2;
  static constexpr float much_worse = 1.5f, much_better[] = {0.1f, 0.3f, 0.6f};  // after 1, 2, and 3 or more pairs
  static constexpr std::uint64_t hopeless = 4;  // beside other programs, a worker may not come for milliseconds

  void close(std::uint64_t now, float took) {
    const unsigned pair = window_++ / 2;
    if (!is_other_) {
      usual_[pair] = took;
      whole_ = now - opened_;
      whole_executions_ = at_;
      return;
    }
    other_[pair] = took;
    const std::uint64_t lasted = now - opened_, as_before = whole_ * at_ / whole_executions_;
    if (lasted > as_before) lost_ += lasted - as_before;
    if (took > much_worse * usual_[pair]) ++bad_;
  }
  bool is_plainly_better() const {
    const unsigned n = window_ / 2;
    return n != 0 && !is_given_up_ &&
           other().most < much_better[std::min<std::size_t>(n, std::size(much_better)) - 1] * usual().least;
  }
  static spread spread_of(std::array<float, pairs> of, unsigned n) {
    const std::span<float> times(of.data(), n);
    std::ranges::nth_element(times, times.begin() + n / 2);
    return {std::ranges::min(times), times[n / 2], std::ranges::max(times)};
  }

  lengths of_{{1}, {1}};
  std::uint64_t begin_at_ = 0;
  bool is_other_ = false, counts_ = false, is_given_up_ = false;
  unsigned at_ = 0, skipped_ = 0, window_ = 0, bad_ = 0;
  std::uint64_t opened_ = 0, begun_ = 0;  // when the window began, and what counts of it
  std::uint64_t whole_ = 0, whole_executions_ = 1;  // the last window without the alternative
  std::uint64_t lost_ = 0;
  std::array<float, pairs> usual_{}, other_{};
};

}  // namespace weir::openmp
