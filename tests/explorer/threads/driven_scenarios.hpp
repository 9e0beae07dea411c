// All scenarios of processors that drive bodies, by name.
#pragma once

#include "driven_ends.hpp"
#include "driven_signals.hpp"
#include "driving_scenarios.hpp"
#include "scenarios.hpp"

namespace explored_threads {

/// Those with few states under weak memory.
inline std::vector<named> small_driven_scenarios() {
  return {of<sleeping_driven<true>>("sleeping together", 3),
          of<summoning<summoned::goes_on>>("summoned where it goes on", 2),
          of<summoning<summoned::detaches>>("summoned while it detaches", 2),
          of<summoning<summoned::detaches_blocking>>("summoned while it detaches and blocks", 2),
          of<summoning<summoned::unblocks>>("summoned while it unblocks", 2),
          of<summoning<summoned::begins_to_drive>>("summoned while it begins to drive", 2),
          of<asking_to_detach<1, false>>("asking to detach one alone", 3),
          of<asking_to_detach<1, true>>("asking to detach for a while", 3),
          of<asking_to_detach<2, false>>("asking to detach", 4),
          of<idle_without_own_body>("idle without its own body", 3)};
}

/// Those with more, up to some hundred thousand.
inline std::vector<named> driven_scenarios() {
  return {of<claiming<false>>("claiming while it leaves", 3),
          of<claiming<true>>("claiming while it attaches", 3),
          of<ticking<2, 1, false>>("ticking", 4),
          of<sleeping_at_stand_in<false>>("sleeping at a stand-in", 4),
          of<returning_bodies<false>>("yielding at a stand-in that is reclaimed", 4),
          of<returning_bodies<true>>("sleeping at a stand-in that is reclaimed", 4),
          of<leaving_one_stood_in_for<true>>("yielding on a processor that is stood in for", 4),
          of<leaving_one_stood_in_for<false>>("leaving a processor that is stood in for", 4),
          of<ending>("ending", 5),
          of<ending_one_stood_in_for>("ending while it is stood in for", 4),
          of<ending_with_stolen>("ending with stolen bodies", 4),
          of<driving_again>("driving again", 3),
          of<helping<true>>("helping while it is claimed", 4),
          of<helping<false>>("helping beside signals", 4),
          of<signalling_from_outside<false>>("signalling from outside", 4),
          of<signalling_from_outside<true>>("signalling from outside while one blocks signals", 4),
          of<moving<true>>("attaching", 4),
          of<moving<false>>("moving", 4),
          of<signalling_one_that_moves<true>>("signalling one that detaches", 3),
          of<signalling<false>>("signalling", 4),
          of<signalling<true>>("signalling one that yields", 4)};
}

/// Those with up to some millions.
inline std::vector<named> larger_driven_scenarios() {
  return {of<sleeping_driven<false>>("sleeping apart", 4),
          of<sleeping_at_stand_in<true>>("sleeping and yielding at a stand-in", 4),
          of<moving_between_masks>("moving between masks", 5),
          of<signalling_one_that_moves<false>>("signalling one that moves", 4),
          of<yielding<2>>("yielding", 4),
          of<blocking<2>>("blocking", 5)};
}

/// A body more, and a thief, whose schedules of few preemptions are searched below.
inline std::vector<named> thorough_driven_scenarios() {
  return {of<yielding<3>>("three yielding", 5), of<ticking<2, 1, true>>("ticking and stealing", 5)};
}

/// Those with too many, and how many preemptions bound a search.
struct bounded {
  named scenario;
  unsigned most_preemptions;
};
inline std::vector<bounded> largest_driven_scenarios() {
  return {{of<ticking<2, 2, true>>("two ticks and a thief", 5), 2},
          {of<ticking<3, 1, true>>("three bodies, a tick and a thief", 6), 2},
          {of<ticking<3, 4, true>>("three bodies, four ticks and a thief", 6), 1},
          {of<blocking<2, true>>("blocking often", 5), 2},
          {of<blocking<3>>("three bodies, one of which blocks", 6), 2}};
}

inline std::vector<named> all_driven_scenarios() {
  std::vector<named> programs = small_driven_scenarios();
  for (const auto& some : {driven_scenarios(), larger_driven_scenarios(), thorough_driven_scenarios()})
    programs.insert(programs.end(), some.begin(), some.end());
  for (const bounded& each : largest_driven_scenarios()) programs.push_back(each.scenario);
  return programs;
}

}  // namespace explored_threads
