// How the regions of each place in the program compute: above all, on how many processors (region_choices.hpp).
//
// The program says how many threads a region has, and nobody asks how many processors they take. A region with less work than a
// fork and a join between processors cost is faster if all members are on one virtual processor, where they switch in 30 ns. So
// is one whose members want the same memory. And where members arrive one after the other, another barrier is faster than where
// they arrive together. No source says which regions these are: each place is tried.
//
//   watch a site: the time of its regions, now and then
//   trial: some regions as before, some with an alternative of one choice, in turn; which windows take less time?
//   choice: until the time of a region changes, or it is time to try again
//
// A window is the time from one region of the site to a later one. It contains what lies between them: another region, which
// finds the workers on other processors than it wants them on, pays for that there. Many short regions in a row are therefore
// tried together. A trial costs at most about a hundredth of the time since the last one: the more it may cost, the later it
// begins.
//
// Paper 001 (section 5) asks for a runtime that chooses; a window in turn is paper 003's way to compare in one state of a
// machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "openmp/watching/other_programs.hpp"
#include "openmp/watching/region_choices.hpp"
#include "openmp/watching/trial_windows.hpp"

namespace weir::openmp {

/// A place in the program, with the size of its team.
struct region_site {
  const void* place = nullptr;  // the function that has the region's code
  unsigned size = 0;
  region_form form;             // what is chosen
  std::uint64_t regions = 0;
  std::uint64_t trial_at = 0;   // the region at which the next trial may begin
  std::uint64_t tried_at = 0;   // the region after the last one; 0: there has been none
  std::uint32_t due_in = 16;    // regions until there is something to do
  std::uint64_t looked_at = 0, looked_in = 0;  // when was the last look, and in which region?
  float region = 0;             // the least time of a region, in ticks, when it was measured last; 0: it is to be measured
  unsigned joined = 0;          // the trial in which it took part last
  unsigned turn = 0, backoff = 1;
  // The last trial: which choice it tried, the alternative that was chosen before, the other one, and the times that it has
  // found with each, from one region to the next.
  choice tried{};
  std::uint16_t before = region_form::usual, other = region_form::usual;
  spread with_before, with_other;
  // The time of the chosen form, as a part of that of the usual one: the product of what the trials between them have found.
  spread of_usual{1, 1, 1};

  /// A trial has found these times, after which `form` is chosen.
  void learn(bool has_changed) {
    region_form not_chosen = form;
    not_chosen[tried] = has_changed ? before : other;
    if (form == region_form{}) of_usual = {1, 1, 1};
    else if (not_chosen == region_form{})
      of_usual = ratio(has_changed ? with_other : with_before, has_changed ? with_before : with_other);
    else if (has_changed) of_usual = product(of_usual, ratio(with_other, with_before));
  }
};

/// The sites of one thread's regions, which alone uses them. `Clock`: ticks(), ticks_per_microsecond(), and
/// waited_for_processor(), the ticks for which the thread has been ready to run while others had the processors; machine_ns(), a
/// time that all programs of the machine agree on.
template <class Clock>
class region_sites {
 public:
  /// How many other barriers there are for teams of this size on this number of processors.
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

  /// What trials have cost in ticks, and the ticks since there are sites.
  std::uint64_t lost_in_trials() const { return lost_in_trials_; }
  std::uint64_t lasted() const { return Clock::ticks() - since_; }

  template <class Each>
  void for_each(Each each) const {
    for (const auto& s : sites_)
      if (s) each(*s);
  }

 private:
  static constexpr unsigned times = 8, most_backoff = 8;
  static constexpr std::uint32_t look_every = 512, least_between_looks = 64;
  static constexpr float small_us = 20, settle_us = 20, changed = 2, alike = 4;
  static constexpr std::uint64_t dearer = 100;  // what a trial may cost, as a part of the time since the last one
  static constexpr double first_ms = 30;        // short programs are not worth a trial
  // Beside other programs some slices must pass, of 3 ms here, before windows say anything. Where the thread has waited for its
  // processor for most of the time, little can be lost, and the first trial comes soon; its first window is as before.
  static constexpr float noticeable = 0.05f, heavy = 0.25f;
  static constexpr double look_ms = 20, settle_ms = 5, window_ms = 35, beside_ms = 4000, heavy_ms = 60, slice_ms = 2;

  struct trial {
    region_site* anchor = nullptr;
    unsigned number = 0;
    choice of{};
    std::uint16_t from = 0, to = 0;
    bool is_joint = false, is_beside = false;
    trial_windows windows;
    unsigned others = 0,
             most_others = 0;  // regions of other sites in this window; beside other programs, since the anchor's last one
    float anchor_region = 0;
  };

  static std::uint64_t in_ticks(double ms) { return static_cast<std::uint64_t>(ms * 1000 * Clock::ticks_per_microsecond()); }
  static float a_slice() { return static_cast<float>(in_ticks(slice_ms)); }
  static bool is_small(const region_site& s) {
    return s.region != 0 && s.region < small_us * static_cast<float>(Clock::ticks_per_microsecond());
  }
  /// A trial of a region that outlasts slices takes some of them: it comes late enough.
  bool is_short_beside(const region_site& s, std::uint64_t now) const {
    return s.region < std::max(a_slice(), static_cast<float>(now - since_) / dearer);
  }

  /// How many regions a window has, and how many before it are not counted: workers move, and until the processors that they have
  /// left sleep, these take them away again.
  static trial_windows::lengths lengths_of(const region_site& s) {
    const float settles = settle_us * static_cast<float>(Clock::ticks_per_microsecond());
    const auto before = static_cast<unsigned>(std::clamp(settles / s.region, 1.0f, 2000.0f));
    return {{before}, {std::max(before / 4, is_small(s) ? 8u : 1u)}};
  }
  static unsigned regions_in(const trial_windows::lengths& measured) {
    return measured.before.executions + measured.counted.executions;
  }

  [[gnu::noinline]] region_site* find(const void* place, unsigned size) {
    std::size_t i = (reinterpret_cast<std::uintptr_t>(place) / 16 + size * 7) % sites_.size();
    for (std::size_t probes = 0; probes < sites_.size(); ++probes, i = (i + 1) % sites_.size()) {
      auto& s = sites_[i];
      if (!s) {
        s.emplace();
        s->place = place;
        s->size = size;
      }
      if (s->place == place && s->size == size) return &*s;
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
    if (&s == trial_.anchor || (trial_.is_beside && trial_.windows.is_hopeless(Clock::ticks())))
      advance(Clock::ticks());
    else if (++trial_.others > trial_.most_others)
      abandon();  // the program does something else now
    if (trial_.anchor == nullptr || !trial_.windows.is_other() || !takes_part(s)) return s.form;
    s.joined = trial_.number;
    region_form other = s.form;
    other[trial_.of] = trial_.to;
    return other;
  }
  /// A much longer one decides for itself.
  bool takes_part(const region_site& s) const {
    if (&s == trial_.anchor) return true;
    if (!trial_.is_joint || s.form[trial_.of] != trial_.from) return false;
    return trial_.is_beside ? s.region <= std::max(trial_.anchor_region, a_slice())
                            : is_small(s) && s.region < alike * trial_.anchor_region;
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
    const unsigned one = regions_in(lengths_of(s));
    if (s.trial_at == 0) s.trial_at = s.regions + dearer * one;
    // Other times, other choices; but no trials in a row.
    if (before != 0 && (least_ > changed * before || changed * least_ < before)) {
      s.backoff = 1;
      s.trial_at = std::min(s.trial_at, s.tried_at + dearer * one);
    }
    const std::uint64_t now = Clock::ticks();
    if (!begin_trial_if_due(s, now)) look_again(s, now);
  }
  /// When there may be a trial, and beside other programs soon enough to notice them.
  void look_again(region_site& s, std::uint64_t now) {
    const std::uint64_t regions = s.regions - s.looked_in, passed = now - s.looked_at;
    const auto soon = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
        regions * in_ticks(look_ms) / std::max<std::uint64_t>(passed, 1), least_between_looks, look_every));
    s.looked_in = s.regions;
    s.looked_at = now;
    s.due_in = s.regions < s.trial_at ? static_cast<std::uint32_t>(std::min<std::uint64_t>(soon, s.trial_at - s.regions)) : soon;
  }

  // ---- trying

  /// What the next trial of a site is about.
  struct candidate {
    choice of;
    std::uint16_t to;
  };
  candidate next_trial(region_site& s, unsigned processors) const {
    const state_of_site site_state{s.form, processors, most_, is_small(s), other_barriers_(s.size, most_)};
    // There is one: another number of processors.
    for (;; ++s.turn) {
      const trial_of& next = trials_in_turn[s.turn % std::size(trials_in_turn)];
      unsigned now = s.form[next.of], to = next.alternative(site_state);
      if (next.of == choice::processors) now = processors, to = std::min(to, most_);
      if (to == now) continue;
      const bool is_all = next.of == choice::processors && to == most_;
      return {next.of, is_all ? region_form::usual : static_cast<std::uint16_t>(to)};
    }
  }

  /// Members that wait for one without a processor lose what another program gains; on fewer processors they wait for fewer. On
  /// how many? On the part that the thread has had of one; and if that is not better, on one.
  std::uint16_t fewer_beside(unsigned processors, float waited) const {
    const auto had = static_cast<unsigned>(static_cast<float>(processors) * (1 - std::min(waited, 1.0f)));
    return static_cast<std::uint16_t>(is_one_next_ ? 1 : std::clamp(had, 1u, processors - 1));
  }
  bool begin_trial_if_due(region_site& s, std::uint64_t now) {
    if (now < allowed_at_) return false;
    const float waited = others_.waited(now);
    const unsigned processors = std::min<unsigned>(s.form[choice::processors], most_);
    if (now >= last_trial_ + in_ticks(heavy_ms) && waited > heavy && processors > 1 && is_short_beside(s, now)) {
      begin_trial(s, {choice::processors, fewer_beside(processors, waited)}, true);
      return true;
    }
    // Workers that move wait for a time slice.
    if (s.regions < s.trial_at || (waited > noticeable && now < last_trial_ + in_ticks(beside_ms))) return false;
    const candidate next = next_trial(s, processors);
    // A trial of few processors may lose much.
    const unsigned fewer = next.of == choice::processors ? processors / std::min<unsigned>(next.to, most_) : 1;
    const std::uint64_t paid = s.tried_at + dearer * regions_in(lengths_of(s)) * fewer;
    if (!is_small(s) && s.regions < paid) {
      s.trial_at = paid;
      return false;
    }
    begin_trial(s, next, waited > noticeable);
    return true;
  }

  void begin_trial(region_site& s, candidate next, bool is_beside) {
    s.due_in = look_every;
    trial_ = {};
    trial_.anchor = &s;
    trial_.number = ++trials_;
    trial_.of = next.of;
    trial_.from = s.form[next.of];
    trial_.to = next.to;
    trial_.is_beside = is_beside;
    trial_.is_joint = next.of == choice::processors && (is_beside || is_small(s));
    trial_.anchor_region = s.region;
    trial_windows::lengths length = lengths_of(s);
    trial_.most_others = 64 * regions_in(length);
    if (is_beside) length.before.ticks = in_ticks(settle_ms), length.counted.ticks = in_ticks(window_ms);
    trial_.windows = trial_windows(length, is_beside ? next_pair() : 0);
    set_busy();
  }

  /// When the next pair of windows beside other programs begins. All programs of the machine find the same time, so that those
  /// which try fewer processors at once do so in the same windows: a thread that tries alone shares its one processor with
  /// members of the others, and makes them wait, and would not find that all are better off.
  static std::uint64_t next_pair() {
    constexpr auto pair_ns = static_cast<std::uint64_t>(2 * (settle_ms + window_ms) * 1e6);
    const double until_us = static_cast<double>(pair_ns - Clock::machine_ns() % pair_ns) / 1e3;
    return Clock::ticks() + static_cast<std::uint64_t>(until_us * Clock::ticks_per_microsecond());
  }

  /// The anchor's next region begins.
  void advance(std::uint64_t now) {
    trial& t = trial_;
    if (!t.windows.next(now)) return decide();
    if (t.is_beside) t.others = 0;
    if (!t.windows.is_first()) return;
    if (t.windows.ended() == 1 && !t.is_beside) t.most_others = 4 * t.others + 8;
    t.others = 0;
  }

  void decide() {
    const trial t = trial_;
    end_trial(dearer * t.windows.lost());
    const spread before = t.windows.usual(), other = t.windows.other();
    const bool is_better = t.windows.is_better(t.to != region_form::usual);
    if (t.is_beside) is_one_next_ = !is_better && t.to != 1 && t.to != region_form::usual;
    for (auto& each : sites_) {
      if (!each || (&*each != t.anchor && each->joined != t.number)) continue;
      region_site& s = *each;
      s.tried = t.of;
      s.before = t.from, s.other = t.to;
      s.with_before = before, s.with_other = other;
      if (is_better) s.form[t.of] = t.to;
      s.learn(is_better);
      if (s.region != 0) conclude(s, is_better, other.middle / before.middle, t.windows.ended() / 2);
    }
  }
  /// When may the site be tried again? `ratio`: of the times; `lost`: how many windows had the slower choice.
  void conclude(region_site& s, bool is_better, float ratio, unsigned lost) {
    s.backoff = is_better ? 1 : std::min(2 * s.backoff, most_backoff);
    if (!is_better) ++s.turn;
    s.tried_at = s.regions;
    const std::uint64_t one = dearer * regions_in(lengths_of(s));
    s.trial_at = s.regions + one;
    // A trial that has found something better has lost nothing.
    if (!is_better)
      s.trial_at += static_cast<std::uint64_t>(static_cast<float>(one * lost * s.backoff) * std::clamp(ratio - 1, 0.1f, 100.0f));
    s.region = 0;  // to be measured anew
    s.due_in = 16;
  }
  void abandon() {
    region_site& s = *trial_.anchor;
    end_trial(0);
    conclude(s, false, 2, trial_windows::pairs);  // as if it had been twice as slow
  }
  void end_trial(std::uint64_t costs) {
    lost_in_trials_ += trial_.windows.lost();
    trial_ = {};
    set_busy();
    last_trial_ = Clock::ticks();
    allowed_at_ = last_trial_ + costs;
  }

  const count_of_barriers other_barriers_;
  region_site* recent_[16] = {};  // by a hash, for those that are begun again and again
  region_site* last_ = nullptr;
  bool is_busy_ = false;
  region_site* timed_ = nullptr;
  unsigned left_to_time_ = 0, others_while_timed_ = 0, most_ = 0, trials_ = 0;
  float least_ = 0;
  std::uint64_t began_ = 0;
  const std::uint64_t since_ = Clock::ticks();
  std::uint64_t last_trial_ = since_, allowed_at_ = last_trial_ + in_ticks(first_ms);
  std::uint64_t lost_in_trials_ = 0;
  bool is_one_next_ = false;  // beside other programs
  other_programs<Clock> others_;
  trial trial_;
  std::array<std::optional<region_site>, 64> sites_;  // their memory is there: a new place pays for no allocation
};

}  // namespace weir::openmp
