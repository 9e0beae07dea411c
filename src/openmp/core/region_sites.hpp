// How the regions of each place in the program compute: above all, on how many processors (region_choices.hpp).
//
// The program says how many threads a region has, and nobody asks how many processors they take. A region with less work than a fork
// and a join between processors cost is faster if all members are on one virtual processor, where they switch in 30 ns. So is
// one whose members want the same memory. And where members arrive one after the other, another barrier is faster than where they
// arrive together. No source says which regions these are: each place is tried.
//
//   watch a site: the time of its regions, now and then
//   trial: some regions as before, some with an alternative of one choice, in turn; which windows take less time?
//   choice: until the time of a region changes, or it is time to try again
//
// A window is the time from one region of the site to a later one. It contains what lies between them: another region, which
// finds the workers on other processors than it wants them on, pays for that there. Many short regions in a row are therefore tried
// together. A trial costs at most about a hundredth of the time since the last one: the more it may cost, the later it begins.
//
// Paper 001 (section 5) asks for a runtime that chooses; a window in turn is paper 003's way to compare in one state of a machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "openmp/core/region_choices.hpp"

namespace weir::openmp {

/// The least, the middle and the largest of some times, in ticks of the clock.
struct spread {
  float least = 0, middle = 0, most = 0;
};

/// A place in the program, with the size of its team.
struct region_site {
  const void* place = nullptr;  // the function that has the region's code
  unsigned size = 0;
  region_form form;             // what is chosen
  std::uint64_t regions = 0;
  std::uint64_t trial_at = 0;   // the region at which the next trial may begin
  std::uint64_t tried_at = 0;   // the region after the last one; 0: there has been none
  std::uint32_t due_in = 16;    // regions until there is something to do
  float region = 0;             // the least time of a region, in ticks, when it was measured last; 0: it is to be measured
  unsigned joined = 0;          // the trial in which it took part last
  unsigned turn = 0, backoff = 1;
  // The last trial: what it was about, with which alternative of before and which other one, and what it has found: the time from one
  // region to the next.
  choice tried{};
  std::uint16_t before = region_form::usual, other = region_form::usual;
  spread with_before, with_other;
};

/// The sites of one thread's regions, which alone uses them. `Clock`: ticks(), ticks_per_microsecond(), and waited_for_processor(), the
/// ticks for which the thread has been ready to run while others had the processors.
template <class Clock>
class region_sites {
 public:
  /// How many other barriers there are for teams of this size, which may take so many processors.
  using count_of_barriers = unsigned (*)(unsigned size, unsigned processors);
  explicit region_sites(count_of_barriers others = [](unsigned, unsigned) { return 0u; }) : other_barriers_(others) {}

  /// A region of this site begins, whose team may take `most` processors. The result is how it computes.
  region_form begin(const void* place, unsigned size, unsigned most) {
    region_site*& recent = recent_[(reinterpret_cast<std::uintptr_t>(place) / 16 + size) % std::size(recent_)];
    if (recent == nullptr || recent->place != place || recent->size != size) [[unlikely]] recent = find(place, size);
    region_site* const s = last_ = recent;
    if (s == nullptr) return {};
    ++s->regions;
    if (most < 2) return {};
    if (--s->due_in == 0 || is_busy_) [[unlikely]] return attend(*s, most);
    return s->form;
  }
  /// The region that has begun last has ended.
  void end() {
    if (timed_ != nullptr && timed_ == last_) [[unlikely]] end_timed();
  }

  template <class Each>
  void for_each(Each each) const {
    for (const auto& s : sites_)
      if (s) each(*s);
  }

 private:
  static constexpr unsigned times = 8, windows = 5, most_bad = 2, most_backoff = 8;
  static constexpr std::uint32_t look_every = 512;
  static constexpr float small_us = 20, settle_us = 20, much_worse = 1.5f, changed = 2, alike = 4;
  static constexpr std::uint64_t dearer = 100;  // what a trial may cost, as a part of the time since the last one
  static constexpr double first_ms = 30;        // short programs are not worth a trial
  static constexpr std::uint64_t hopeless = 4;  // beside other programs, a worker may not come for milliseconds
  // Other programs run if the thread has waited for longer than this part of the time. Workers that move wait for a time slice, some 3
  // ms, so that a trial costs some 40 ms there.
  static constexpr std::uint64_t noticeable = 20;
  static constexpr double beside_ms = 4000;

  /// How many regions a window has, and how many before it are not counted: workers move, and until the processors that they have left
  /// sleep, these take them away again.
  struct lengths {
    unsigned counted, before;
    unsigned both() const { return counted + before; }
  };
  struct trial {
    region_site* anchor = nullptr;
    unsigned number = 0;
    choice of{};
    std::uint16_t from = 0, to = 0;
    lengths length{1, 1};
    bool is_joint = false, is_other = false;
    unsigned at = 0, window = 0, bad = 0;
    unsigned others = 0, most_others = 0;  // regions of other sites in this window
    float anchor_region = 0;
    std::uint64_t opened = 0, begun = 0;   // when the window began, and what counts of it
    std::uint64_t whole = 0, lost = 0;     // the last whole window with the choice of before; what the others have taken longer
    std::array<float, windows> usual{}, other{};
  };

  static std::uint64_t in_ticks(double ms) { return static_cast<std::uint64_t>(ms * 1000 * Clock::ticks_per_microsecond()); }

  bool is_small(const region_site& s) const {
    return s.region != 0 && s.region < small_us * static_cast<float>(Clock::ticks_per_microsecond());
  }
  lengths lengths_of(const region_site& s) const {
    const float settles = settle_us * static_cast<float>(Clock::ticks_per_microsecond());
    const auto before = static_cast<unsigned>(std::clamp(settles / s.region, 1.0f, 2000.0f));
    return {std::max(before / 4, is_small(s) ? 8u : 1u), before};
  }

  [[gnu::noinline]] region_site* find(const void* place, unsigned size) {
    std::size_t i = (reinterpret_cast<std::uintptr_t>(place) / 16 + size * 7) % sites_.size();
    for (std::size_t probes = 0; probes < sites_.size(); ++probes, i = (i + 1) % sites_.size()) {
      auto& s = sites_[i];
      if (s == nullptr) {
        s = std::make_unique<region_site>();
        s->place = place;
        s->size = size;
      }
      if (s->place == place && s->size == size) return s.get();
    }
    return nullptr;  // there is no room
  }

  void set_busy() { is_busy_ = timed_ != nullptr || trial_.anchor != nullptr; }

  [[gnu::noinline]] region_form attend(region_site& s, unsigned most) {
    if (s.due_in == 0) {
      s.due_in = look_every;
      if (!is_busy_) begin_timing(s, most);
    }
    if (timed_ == &s)
      began_ = Clock::ticks();
    else if (timed_ != nullptr && ++others_while_timed_ > look_every)
      end_timing();  // the program does something else now
    if (trial_.anchor == nullptr) return s.form;
    if (&s == trial_.anchor)
      advance(Clock::ticks());
    else if (++trial_.others > trial_.most_others)
      abandon();  // the program does something else now
    if (trial_.anchor == nullptr || !trial_.is_other || !takes_part(s)) return s.form;
    s.joined = trial_.number;
    region_form other = s.form;
    other[trial_.of] = trial_.to;
    return other;
  }
  /// A much longer one decides for itself.
  bool takes_part(const region_site& s) const {
    return &s == trial_.anchor ||
           (trial_.is_joint && s.form[trial_.of] == trial_.from && is_small(s) && s.region < alike * trial_.anchor_region);
  }

  // ---- watching

  void begin_timing(region_site& s, unsigned most) {
    timed_ = &s;
    most_ = most;
    left_to_time_ = times;
    others_while_timed_ = 0;
    least_ = std::numeric_limits<float>::max();
    set_busy();
  }
  void end_timing() {
    timed_ = nullptr;
    set_busy();
  }
  [[gnu::noinline]] void end_timed() {
    least_ = std::min(least_, static_cast<float>(Clock::ticks() - began_));
    if (--left_to_time_ != 0) return;
    region_site& s = *timed_;
    end_timing();
    const float before = s.region;
    s.region = least_;
    const unsigned one = lengths_of(s).both();
    if (s.trial_at == 0) s.trial_at = s.regions + dearer * one;
    // Other times, other choices; but no trials in a row.
    if (before != 0 && (least_ > changed * before || changed * least_ < before)) {
      s.backoff = 1;
      s.trial_at = std::min(s.trial_at, s.tried_at + dearer * one);
    }
    s.regions >= s.trial_at ? begin_trial(s) : look_again(s);
  }
  void look_again(region_site& s) {
    s.due_in = static_cast<std::uint32_t>(std::min<std::uint64_t>(look_every, s.trial_at - s.regions));
  }

  // ---- trying

  /// What the next trial of a site is about.
  struct candidate {
    choice of;
    std::uint16_t to;
  };
  candidate next_trial(region_site& s, unsigned processors) const {
    const state_of_site its{s.form, processors, most_, is_small(s), other_barriers_(s.size, most_)};
    // There is one: another number of processors.
    for (;; ++s.turn) {
      const trial_of& next = trials_in_turn[s.turn % std::size(trials_in_turn)];
      unsigned now = s.form[next.of], to = next.alternative(its);
      if (next.of == choice::processors) now = processors, to = std::min(to, most_);
      if (to == now) continue;
      const bool is_all = next.of == choice::processors && to == most_;
      return {next.of, is_all ? region_form::usual : static_cast<std::uint16_t>(to)};
    }
  }

  /// Do other programs run, and has there been a trial beside them lately?
  bool is_disturbed(std::uint64_t now) {
    const std::uint64_t waited = Clock::waited_for_processor();
    // The thread may have gone to another kernel thread, which has waited for less.
    const std::uint64_t before = std::exchange(waited_, waited), lately = waited > before ? waited - before : 0;
    const bool others_run = noticeable * lately > now - std::exchange(looked_at_, now);
    return others_run && now < last_trial_ + in_ticks(beside_ms);
  }

  void begin_trial(region_site& s) {
    if (const std::uint64_t now = Clock::ticks(); now < allowed_at_ || is_disturbed(now)) {
      s.due_in = look_every;
      return;
    }
    const unsigned now = std::min<unsigned>(s.form[choice::processors], most_);
    const auto [of, to] = next_trial(s, now);
    // A trial of few processors may lose much.
    const unsigned fewer = of == choice::processors ? now / std::min<unsigned>(to, most_) : 1;
    if (const std::uint64_t paid = s.tried_at + dearer * lengths_of(s).both() * fewer; !is_small(s) && s.regions < paid) {
      s.trial_at = paid;
      return look_again(s);
    }
    s.due_in = look_every;
    trial_ = {};
    trial_.anchor = &s;
    trial_.number = ++trials_;
    trial_.of = of;
    trial_.from = s.form[of];
    trial_.to = to;
    trial_.length = lengths_of(s);
    trial_.is_joint = of == choice::processors && is_small(s);
    trial_.anchor_region = s.region;
    trial_.most_others = 64 * trial_.length.both();
    set_busy();
  }

  /// The anchor's next region begins.
  void advance(std::uint64_t now) {
    trial& t = trial_;
    if (t.is_other && now - t.opened > hopeless * t.whole && t.at != 0) return give_up(now);
    if (t.at == t.length.both()) {
      close_window(now);
      const float took = static_cast<float>(now - t.begun) / static_cast<float>(t.length.counted);
      if (t.window == 0) t.most_others = 4 * t.others + 8;
      (t.is_other ? t.other : t.usual)[t.window / 2] = took;
      if (t.is_other && took > much_worse * t.usual[t.window / 2] && ++t.bad == most_bad) return decide(t.window / 2 + 1);
      if (++t.window == 2 * windows) return decide(windows);
      t.is_other = !t.is_other;
      t.at = t.others = 0;
    }
    if (t.at == 0) t.opened = now;
    if (t.at++ == t.length.before) t.begun = now;
  }
  void close_window(std::uint64_t now) {
    trial& t = trial_;
    const std::uint64_t took = now - t.opened;
    if (!t.is_other) t.whole = took;
    else if (took > t.whole) t.lost += took - t.whole;
  }
  void give_up(std::uint64_t now) {
    close_window(now);
    const unsigned pairs = trial_.window / 2 + 1;
    trial_.other[pairs - 1] = static_cast<float>(now - trial_.opened) / static_cast<float>(trial_.at);
    decide(pairs);
  }

  static spread spread_of(std::array<float, windows> of, unsigned n) {
    const std::span<float> its(of.data(), n);
    std::ranges::nth_element(its, its.begin() + n / 2);
    return {std::ranges::min(its), its[n / 2], std::ranges::max(its)};
  }

  void decide(unsigned n) {
    const trial t = trial_;
    trial_ = {};
    set_busy();
    last_trial_ = Clock::ticks();
    allowed_at_ = last_trial_ + dearer * t.lost;
    const spread before = spread_of(t.usual, n), other = spread_of(t.other, n);
    // Back to the usual on little evidence. Away from there if all windows but one are faster than the fastest of before: of
    // alike choices, one trial in 42 finds that.
    const auto faster = std::count_if(t.other.begin(), t.other.begin() + n, [&](float its) { return its < before.least; });
    const bool is_clear = faster >= static_cast<long>(windows) - 1, is_usual = t.to == region_form::usual;
    const bool is_better = n == windows && t.at == t.length.both() && (is_usual ? other.middle < before.middle : is_clear);
    for (const auto& each : sites_) {
      if (!each || (each.get() != t.anchor && each->joined != t.number)) continue;
      region_site& s = *each;
      s.tried = t.of;
      s.before = t.from, s.other = t.to;
      s.with_before = before, s.with_other = other;
      if (is_better) s.form[t.of] = t.to;
      conclude(s, is_better, other.middle / before.middle, n * t.length.both());
    }
  }
  /// When may the site be tried again? `ratio`: of the times; `lost`: how many regions the slower choice had.
  void conclude(region_site& s, bool is_better, float ratio, unsigned lost) {
    s.backoff = is_better ? 1 : std::min(2 * s.backoff, most_backoff);
    if (!is_better) ++s.turn;
    s.tried_at = s.regions;
    s.trial_at = s.regions + dearer * lengths_of(s).both();
    // A trial that has found something better has lost nothing.
    if (!is_better) s.trial_at += static_cast<std::uint64_t>(static_cast<float>(dearer * lost * s.backoff) * std::clamp(ratio - 1, 0.1f, 100.0f));
    s.region = 0;  // to be measured anew
    s.due_in = 16;
  }
  void abandon() {
    region_site& s = *trial_.anchor;
    trial_ = {};
    set_busy();
    conclude(s, false, 2, windows);  // as if it had been twice as slow
  }

  const count_of_barriers other_barriers_;
  region_site* recent_[16] = {};  // by a hash, for those that are begun again and again
  region_site* last_ = nullptr;
  bool is_busy_ = false;
  region_site* timed_ = nullptr;
  unsigned left_to_time_ = 0, others_while_timed_ = 0, most_ = 0, trials_ = 0;
  float least_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t last_trial_ = Clock::ticks(), allowed_at_ = last_trial_ + in_ticks(first_ms);
  std::uint64_t looked_at_ = last_trial_, waited_ = Clock::waited_for_processor();
  trial trial_;
  std::array<std::unique_ptr<region_site>, 64> sites_;
};

}  // namespace weir::openmp
