// A barrier that finds out which of a few barriers is the fastest, while a team passes it.
//
// Each member counts the episodes of a stretch down by itself, so all agree on the barrier of each episode without a word. Member
// 0 says what follows a stretch before it arrives at the last episode, and the others read it after they have left that episode:
// the episode orders both. What was said before must have been read by then, so a stretch has at least two episodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <weir/machine/machine.hpp>

#include "registry.hpp"
#include "trials.hpp"

namespace weir {

/// Episodes that a team passes by one of its barriers.
struct stretch {
  unsigned barrier;
  std::uint32_t episodes;
};

/// Says by trials which stretch follows another. One member tells it where it is; any thread may ask what has been found.
template <class Machine>
class judge {
 public:
  explicit judge(unsigned barriers) : trials_(barriers, longest_episode_us), ticks_of_us_(Machine::ticks_per_microsecond()) {}

  static stretch first() { return stretch_of({}, 0); }

  /// Before the last episode of a stretch: what follows it?
  stretch next() {
    if (has_begun_ && block_ + 1 != trials_.now().blocks()) {
      ++block_;
    } else {
      end_course(now_us());
      block_ = 0;
    }
    const stretch current = stretch_of(trials_.now(), block_);
    if (current.barrier != chosen()) episodes_.store(episodes() + current.episodes, std::memory_order_relaxed);
    return current;
  }
  /// After it.
  void left() {
    if (block_ != 0) trials_.block_ended(now_us());
  }

  // relaxed, all of them: no other data goes with them, and one thread writes.
  unsigned chosen() const { return chosen_.load(std::memory_order_relaxed); }
  /// Of trials, by other barriers than the chosen one.
  std::uint64_t episodes() const { return episodes_.load(std::memory_order_relaxed); }
  double lost_us() const { return lost_us_.load(std::memory_order_relaxed); }

 private:
  static constexpr double longest_episode_us = 50;

  static stretch stretch_of(const trials::course& trials_now, unsigned block) {
    return {trials_now.candidate(block), trials_now.episodes(block)};
  }
  double now_us() const { return static_cast<double>(Machine::ticks()) / ticks_of_us_; }

  /// One episode early, since what follows must be said before it. The first stretch is no course: members may come late to it.
  void end_course(double now) {
    if (std::exchange(has_begun_, true)) {
      trials_.block_ended(now);
      chosen_.store(trials_.next().chosen, std::memory_order_relaxed);
      lost_us_.store(trials_.lost_us(), std::memory_order_relaxed);
    }
    trials_.begin(now);
  }

  trials trials_;
  const double ticks_of_us_;
  bool has_begun_ = false;
  unsigned block_ = 0;
  std::atomic<unsigned> chosen_{0};
  std::atomic<std::uint64_t> episodes_{0};
  std::atomic<double> lost_us_{0};
};

/// `Judge`: first(), next() and left(), as above.
template <class Machine, class Judge = judge<Machine>>
class learning final : public any_barrier {
 public:
  using barriers = std::vector<std::unique_ptr<any_barrier>>;

  learning(unsigned members, barriers candidates)
      : any_barrier(pass_here),
        members_(members),
        barriers_(std::move(candidates)),
        judge_(static_cast<unsigned>(barriers_.size())),
        seats_(std::make_unique<seat[]>(members)) {
    for (unsigned m = 0; m < members; ++m) follow(seats_[m], judge_.first());
  }

  void arrive_and_wait_completing(unsigned member, const completion_call& completion, completed_by who) override {
    const presence here(*this);
    pass(member, [&](any_barrier& by) { by.arrive_and_wait_completing(member, completion, who); });
  }

  std::size_t bytes() const override {
    std::size_t total = sizeof(*this) + members_ * sizeof(seat);
    for (const auto& b : barriers_) total += b->bytes();
    return total;
  }

  const Judge& found() const { return judge_; }

 private:
  struct alignas(line_bytes) seat {
    any_barrier* barrier = nullptr;
    std::uint32_t left = 0;  // episodes of this stretch
  };

  static void pass_here(any_barrier& self, unsigned member) {
    const presence here(self);
    static_cast<learning&>(self).pass(member, [member](any_barrier& by) { by.arrive_and_wait(by, member); });
  }

  template <class Pass>
  void pass(unsigned member, Pass by) {
    seat& me = seats_[member];
    if (--me.left == 0) [[unlikely]] return end_stretch(member, by);
    by(*me.barrier);
  }

  // relaxed, all of them: the last episode of the stretch orders them.
  template <class Pass>
  [[gnu::noinline, gnu::cold]] void end_stretch(unsigned member, Pass by) {
    seat& me = seats_[member];
    if (member == 0) {
      const stretch next = judge_.next();
      next_barrier_.store(next.barrier, std::memory_order_relaxed);
      next_episodes_.store(next.episodes, std::memory_order_relaxed);
    }
    by(*me.barrier);
    if (member == 0) judge_.left();
    follow(me, {next_barrier_.load(std::memory_order_relaxed), next_episodes_.load(std::memory_order_relaxed)});
  }

  void follow(seat& me, const stretch& next) {
    me.barrier = barriers_[next.barrier].get();
    me.left = next.episodes;
  }

  const unsigned members_;
  const barriers barriers_;
  Judge judge_;  // member 0's
  const std::unique_ptr<seat[]> seats_;
  typename Machine::template word<std::uint32_t> next_barrier_{0}, next_episodes_{0};
};

}  // namespace weir
