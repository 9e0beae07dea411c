// Which way a process takes in each episode, where `auto` learns (barriers/trials.hpp).
//
// All processes pass a barrier's episodes in the same order, so all follow the same course by counting them; it does not matter
// the rank that begins and ends an episode, and the ranks that wait in it at once. After a course there is one more episode, by
// the candidate chosen so far: the judge, rank 0, tells the next course before it arrives there, and the others hear it when they
// begin the episode after.
#pragma once

#include <cstdint>
#include <optional>

#include "barriers/trials.hpp"

namespace weir::mpi {

class learning {
 public:
  learning(unsigned candidates, double longest_us) : candidates_(candidates), longest_us_(longest_us) {}

  /// This process is the judge.
  void judge(double now_us) { judge_.emplace(candidates_, longest_us_).begin(now_us); }

  /// An episode begins; returns its candidate. `By`: now_us(), tell(course), of the judge; hear(), which returns the course, of
  /// the others.
  template <class By>
  unsigned begin(By& by) {
    if (left_ == 0) [[unlikely]] advance(by);
    --left_;
    return candidate_;
  }

  /// In this episode the judge tells the next course.
  bool is_telling() const { return is_telling_; }
  unsigned chosen() const { return course_.chosen; }
  /// How many trials there have been.
  std::uint64_t trials_so_far() const { return trials_; }
  double lost_us() const { return judge_ ? judge_->lost_us() : 0; }

 private:
  template <class By>
  void advance(By& by) {
    if (is_telling_) return take_up(judge_ ? judge_->now() : by.hear());
    if (judge_) judge_->block_ended(by.now_us());
    if (++block_ < course_.blocks()) {
      candidate_ = course_.candidate(block_);
      left_ = course_.episodes(block_);
      return;
    }
    candidate_ = course_.chosen;
    left_ = 1;
    is_telling_ = true;
    if (!judge_) return;
    by.tell(judge_->next());
    judge_->begin(by.now_us());
  }
  void take_up(const trials::course& next) {
    trials_ += course_.rounds != 0;
    course_ = next;
    block_ = 0;
    candidate_ = course_.chosen;
    left_ = course_.rest - 1;  // the episode in which it was told is the first
    is_telling_ = false;
  }

  const unsigned candidates_;
  const double longest_us_;
  std::optional<trials> judge_;
  trials::course course_;
  unsigned block_ = 0, candidate_ = 0;
  std::uint32_t left_ = course_.rest;
  bool is_telling_ = false;
  std::uint64_t trials_ = 0;
};

}  // namespace weir::mpi
