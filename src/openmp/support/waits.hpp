// What members wait for, in the words of a report on a deadlock (watching/deadlock.hpp).
#pragma once

#include <atomic>

namespace weir::openmp {

struct wait_kind {
  const char* at;
  bool for_team = true;   // only members of the team can end the wait
  bool in_program = true; // the wait belongs to one place in the program, unlike a wait between two regions
  bool asleep = true;     // the wait ends in a sleep, unless the thread yields its processor as long as it waits
};

namespace waits {
inline constexpr wait_kind barrier{"a barrier"};
inline constexpr wait_kind end_of_region{"the end of the parallel region"};
inline constexpr wait_kind after_region{"the end of the parallel region", true, false};
inline constexpr wait_kind reduction{"a reduction"};
inline constexpr wait_kind ordered{"an ordered region"};
inline constexpr wait_kind doacross{"the iteration of a doacross loop that it depends on"};
inline constexpr wait_kind slot{"a worksharing construct that is too far ahead of the other members", true, true, false};
// A thread outside of the team may fulfil the event of a detached task, or hold the lock.
inline constexpr wait_kind taskwait{"taskwait", false};
inline constexpr wait_kind taskgroup{"the end of a taskgroup", false};
inline constexpr wait_kind dependences{"the dependences of a task", false};
inline constexpr wait_kind tasks{"a barrier or the end of the region, for its tasks", false};
inline constexpr wait_kind critical{"a critical construct", false};
inline constexpr wait_kind lock{"omp_set_lock", false};
inline constexpr wait_kind nest_lock{"omp_set_nest_lock", false};
inline constexpr wait_kind atomic{"an atomic construct", false};
}  // namespace waits

/// Called with what a thread waits for before it sleeps at a lock, and with null when it is awake again. Null: nobody observes.
extern constinit std::atomic<void (*)(const wait_kind*)> observer_of_locks;

}  // namespace weir::openmp
