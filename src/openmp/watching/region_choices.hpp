// What is chosen for the regions of a place in the program, and which alternative a trial is about.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::openmp {

/// On how many processors a region computes; and where each member has a thread of the kernel and a processor, by which barriers
/// its members meet.
enum class choice : std::uint8_t { processors, barrier };

/// A barrier besides the usual one, and the arrival at the end of a region that goes with it.
struct other_barrier {
  const char* name;
  const char* arrival;
};
/// The barriers by which a team may meet whose members have a kernel thread each: those that are faster somewhere on simulated
/// machines (docs/openmp/runtime.md). With few members none is.
constexpr unsigned other_barriers(unsigned size, unsigned processors) {
  constexpr unsigned few = 8, many = 32;
  if (size <= few || size > processors) return 0;
  return size <= many ? 2 : 1;
}
constexpr other_barrier other_barrier_of(unsigned size, unsigned which) {
  constexpr other_barrier tree{"tournament-nodes", "tournament-nodes"}, central{"sense", "sense"},
      rounds{"dissemination", "auto"};
  return which == 1 ? central : size <= 16 ? tree : rounds;
}

/// How a region computes: an alternative of each choice.
struct region_form {
  /// As if nothing had been chosen: on as many processors as the team may take, by the usual barriers.
  static constexpr std::uint16_t usual = 0xffff;

  std::array<std::uint16_t, 2> by_choice = {usual, usual};

  std::uint16_t& operator[](choice c) { return by_choice[static_cast<std::size_t>(c)]; }
  std::uint16_t operator[](choice c) const { return by_choice[static_cast<std::size_t>(c)]; }
  bool operator==(const region_form&) const = default;
};

/// What is known of a site when its next trial is chosen.
struct state_of_site {
  region_form now;
  unsigned processors;  // on which its regions compute
  unsigned most;        // that their team may take
  bool is_small;        // have the regions little work?
  unsigned barriers;    // how many others there are

  bool has_barriers(unsigned least) const { return now[choice::processors] == region_form::usual && barriers >= least; }
};

/// What a trial is about. The trials of a site take turns, and leave out an alternative that the site has already.
struct trial_of {
  choice of;
  unsigned (*alternative)(const state_of_site&);
};
namespace trials {
// With half of the processors regions may take as long, and with one less.
constexpr unsigned fewest(const state_of_site&) { return 1; }
constexpr unsigned half(const state_of_site& s) { return s.processors > 1 ? s.processors / 2 : 1; }
constexpr unsigned twice(const state_of_site& s) { return 2 * s.processors; }
template <unsigned Which>
constexpr unsigned barrier(const state_of_site& s) {
  return s.has_barriers(Which + 1) ? Which : s.now[choice::barrier];
}
}  // namespace trials
inline constexpr trial_of trials_in_turn[] = {
    {choice::processors, [](const state_of_site& s) { return s.is_small ? trials::fewest(s) : trials::half(s); }},
    {choice::processors, trials::twice},
    {choice::processors, [](const state_of_site& s) { return s.is_small ? trials::half(s) : trials::fewest(s); }},
    {choice::barrier, trials::barrier<0>},
    {choice::barrier, trials::barrier<1>},
    {choice::barrier, [](const state_of_site&) -> unsigned { return region_form::usual; }},
};

}  // namespace weir::openmp
