// What members do with run queues, with lists of sleepers and with parked threads: all scenarios, by name.
#pragma once

#include <string>
#include <vector>

#include "blocking.hpp"
#include "counting.hpp"
#include "handing_over.hpp"
#include "sleeping.hpp"
#include "stealing.hpp"

namespace explored_threads {

struct named {
  std::string name;
  subject program;
};

template <class Scenario>
named of(const char* name, unsigned members) {
  subject s;
  s.members = members;
  s.build = [members]() -> subject::body {
    // Never destroyed: it is in an arena.
    return [it = new Scenario, members](unsigned member) { it->pass(member, members); };
  };
  return {name, s};
}

/// Those first that have few states.
inline std::vector<named> all_scenarios() {
  return {of<sleeping_in_order>("sleeping in order", 1),
          of<arriving>("arriving", 2),
          of<calling>("calling", 2),
          of<blocking_by_call>("blocking a signal by a call", 2),
          of<closing>("closing", 2),
          of<blocking_alone>("blocking alone", 2),
          of<blocking_for_a_moment>("blocking for a moment", 2),
          of<monitoring<true>>("monitoring what is done inside", 2),
          of<monitoring<false>>("monitoring what is done outside", 2),
          of<sleeping>("sleeping", 2),
          of<sleeping_while_zero>("sleeping while a word is zero", 2),
          of<counting_one>("counting", 2),
          of<counting_until>("counting until a time", 2),
          of<stealing<true>>("stealing from one that takes", 2),
          of<stealing<false>>("stealing from one that appends", 2),
          of<leaving>("leaving", 3),
          of<detaching>("detaching", 3),
          of<closing_for_others>("closing for others", 3),
          of<relieving>("relieving", 3),
          of<stealing_from_each_other>("stealing from each other", 2),
          of<coming_back>("coming back", 3),
          of<joining>("joining", 3),
          of<handing_off>("handing off", 2),
          of<handing_off_in_turn>("handing off in turn", 3),
          of<returning_stolen>("returning stolen", 3),
          of<waking_twice>("waking twice", 3),
          of<sleeping_away>("sleeping away", 3),
          of<counting_until_limit>("counting until a limit", 3),
          of<counting_for_two_objects>("counting for two objects", 3),
          of<counting_two>("counting, woken one at a time", 3),
          of<closing_for_others>("closing for two others", 4),
          of<sleeping_together<true>>("sleeping, woken at once", 3),
          of<sleeping_together<false>>("sleeping, woken one at a time", 3),
          of<arriving>("arriving from two", 3),
          of<handing_off_and_back>("handing off and back", 3)};
}

}  // namespace explored_threads
