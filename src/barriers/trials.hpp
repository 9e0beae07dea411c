// Which of some barriers is the fastest here? Learned while the program runs, by short trials.
//
// The members exchange no word in a trial: all follow the same course by counting their own episodes, and one of them, the judge,
// takes the times. At the end of a course the judge tells the others the next one.
//
//   resting:   all episodes by the chosen candidate; a course ends after 65,536 of them or 0.25 s, for the judge to look at the
//   time
//      |  the next trial is due: the last ones are paid for, and the program's episodes are short enough to gain by a barrier
//   scouting:  32 episodes by each other candidate, fewer of long ones; one that takes three times as long sits out
//      |  what that has cost is paid for, and what the comparison may cost
//   comparing: 7 rounds of blocks of about 1 ms, by the chosen candidate and the others in turn
//      |  another one is chosen if its middle block is 5 % faster, and all of its blocks but one are faster than the fastest of
//      the chosen |  one (of equal candidates one trial in 429 finds that)
//   resting
//
// What trials have cost, and telling the courses, is paid for when 100 times as much time has passed. Without a new choice the
// distance between trials doubles, from 0.2 to 12.8 s. When the time of an episode has doubled or halved, it begins anew. A
// candidate that was left and is chosen again doubles the shortest distance, so the choice does not swing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace weir {

/// Of the judge. Times are in microseconds. Not thread-safe.
class trials {
 public:
  static constexpr unsigned most_candidates = 4, most_rounds = 7;

  /// A rest by the chosen candidate; then rounds, in each of which every candidate of the set `tried` has a block of episodes.
  struct course {
    std::uint32_t chosen = 0, rest = 256, tried = 0, rounds = 0, block = 0;

    /// Block 0 is the rest.
    unsigned blocks() const { return 1 + rounds * static_cast<unsigned>(std::popcount(tried)); }
    std::uint32_t episodes(unsigned of_block) const { return of_block == 0 ? rest : block; }
    unsigned candidate(unsigned of_block) const {
      if (of_block == 0) return chosen;
      std::uint32_t left = tried;
      for (int before = static_cast<int>(of_block - 1) % std::popcount(tried); before > 0; --before) left &= left - 1;
      return static_cast<unsigned>(std::countr_zero(left));
    }
  };

  /// Candidate 0 is the usual one. Programs with longer episodes have too much other work to gain by a barrier.
  trials(unsigned candidates, double longest_episode_us) : candidates_((1u << candidates) - 1), longest_us_(longest_episode_us) {}

  /// All members begin with course{}.
  const course& now() const { return course_; }
  /// The course begins, after it was told.
  void begin(double now_us) {
    if (ended_us_ == never)
      tried_us_ = now_us, due_us_ = now_us + first_us;
    else
      lose(now_us - ended_us_, now_us);
    ended_us_ = now_us;
    block_ = 0;
  }
  void block_ended(double now_us) {
    took_us_[block_] = (now_us - ended_us_) / course_.episodes(block_);
    ended_us_ = now_us;
    ++block_;
  }
  /// The last block has ended. Returns the next course, which begins when it has been told.
  const course& next() {
    episode_us_ = std::max(took_us_[0], 1e-3);
    if (course_.rest * episode_us_ > sure_us) look();
    if (course_.rounds == 1) scouted();
    if (course_.rounds > 1) compared();
    plan();
    return course_;
  }

  unsigned chosen() const { return course_.chosen; }
  /// How much longer trials and telling the courses have taken than episodes by the chosen candidate.
  double lost_us() const { return lost_us_; }

 private:
  static constexpr double never = -1, changed = 2, dearer = 100, hopeless = 3, better = 0.95;
  static constexpr double first_us = 30e3, look_us = 250e3, sure_us = 10e3, block_us = 1000, scouting_us = 100;
  static constexpr double least_distance_us = 200e3, most_distance_us = 12.8e6;
  static constexpr double least_rest = 64, most_rest = 65536, least_block = 8, most_block = 4096;
  static constexpr double least_scouted = 4, most_scouted = 32;

  static constexpr std::uint32_t bit(unsigned candidate) { return 1u << candidate; }
  static std::uint32_t in(double us, double episode_us, double least, double most) {
    return static_cast<std::uint32_t>(std::clamp(us / episode_us, least, most));
  }
  void lose(double us, double now_us) {
    if (us <= 0) return;
    lost_us_ += us;
    paid_us_ = std::max(paid_us_, now_us) + dearer * us;
  }

  /// Other times, other choices; but no trials in a row.
  void look() {
    const double before = std::exchange(known_us_, episode_us_);
    if (before == 0 || (episode_us_ < changed * before && changed * episode_us_ > before)) return;
    distance_us_ = shortest_us_;
    due_us_ = std::min(due_us_, tried_us_ + distance_us_);
  }

  void scouted() {
    willing_ = bit(course_.chosen);
    double cost = 0, expected = 0;
    for (unsigned b = 1; b < course_.blocks(); ++b) {
      const double longer = took_us_[b] - episode_us_;
      cost += course_.block * longer;
      if (took_us_[b] > hopeless * episode_us_) continue;
      willing_ |= bit(course_.candidate(b));
      expected += std::max(longer, 0.0) * most_rounds * in(block_us, episode_us_, least_block, most_block);
    }
    lose(cost, ended_us_);
    paid_us_ = std::max(paid_us_, ended_us_) + dearer * expected;
    if (std::has_single_bit(willing_)) end_trial();
  }

  void compared() {
    const auto times = [&](unsigned candidate) {
      std::array<double, most_rounds> times_kept{};
      for (unsigned b = 1, n = 0; b < course_.blocks(); ++b)
        if (course_.candidate(b) == candidate) times_kept[n++] = took_us_[b];
      std::ranges::sort(times_kept);
      return times_kept;
    };
    constexpr unsigned middle = most_rounds / 2;
    const auto usual = times(course_.chosen);
    double cost = 0;
    unsigned best = course_.chosen;
    known_us_ = usual[middle];
    for (unsigned c = 0; c < most_candidates; ++c) {
      if (c == course_.chosen || (course_.tried & bit(c)) == 0) continue;
      const auto measured = times(c);
      for (const double took : measured) cost += course_.block * (took - usual[middle]);
      if (measured[middle] > better * usual[middle] || measured[most_rounds - 2] > usual[0] || measured[middle] > known_us_)
        continue;
      best = c;
      known_us_ = measured[middle];
    }
    episode_us_ = known_us_;
    lose(cost, ended_us_);
    if (best != course_.chosen) {
      left_ |= bit(course_.chosen);
      if ((left_ & bit(best)) != 0) shortest_us_ = std::min(2 * shortest_us_, most_distance_us);
      distance_us_ = shortest_us_;
      course_.chosen = best;
    }
    end_trial();
  }

  void end_trial() {
    willing_ = 0;
    tried_us_ = ended_us_;
    due_us_ = ended_us_ + distance_us_;
    distance_us_ = std::min(2 * distance_us_, most_distance_us);
  }

  void plan() {
    const std::uint32_t others = candidates_ & ~bit(course_.chosen),
                        scouted = in(scouting_us, episode_us_, least_scouted, most_scouted);
    // As if they took twice as long.
    const double scouting_may_cost = episode_us_ * scouted * std::popcount(others);
    const double at_us = willing_ != 0 ? paid_us_ : std::max({due_us_, paid_us_, tried_us_ + dearer * scouting_may_cost});
    const double wait_us = at_us - ended_us_;
    const bool is_due = wait_us < look_us && wait_us < most_rest * episode_us_ && episode_us_ <= longest_us_;
    course_ = {.chosen = course_.chosen, .rest = in(is_due ? wait_us : look_us, episode_us_, least_rest, most_rest)};
    if (!is_due) return;
    if (willing_ == 0)
      course_.tried = others, course_.rounds = 1, course_.block = scouted;
    else
      course_.tried = willing_, course_.rounds = most_rounds, course_.block = in(block_us, episode_us_, least_block, most_block);
  }

  const std::uint32_t candidates_;
  const double longest_us_;
  course course_;
  unsigned block_ = 0;
  std::array<double, 1 + most_rounds * most_candidates> took_us_{};  // an episode, in each block
  double ended_us_ = never;
  double episode_us_ = 0, known_us_ = 0;  // by the chosen candidate: just now, and as far as it is sure
  double due_us_ = 0, paid_us_ = 0, tried_us_ = 0, lost_us_ = 0;
  double distance_us_ = least_distance_us, shortest_us_ = least_distance_us;
  std::uint32_t willing_ = 0,
                left_ = 0;  // candidates that take part in the comparison; those that were chosen once, and are not now
};

}  // namespace weir
