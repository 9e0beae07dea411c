// How many threads the program has, and has had: are there more than their seats? The whole process's; a single thread's state is
// in program_thread.cpp.
#pragma once

#include <cstdint>

#include "threads/scheduling/pool.hpp"

namespace weir::threads {

/// A thread is about to be created.
void count_thread();
/// It has ended, or the system has refused it: then nobody has created it.
void count_end(bool was_created = true);
/// A thread has its first seat.
void count_member();
/// A thread that the program creates has a policy, a priority or an affinity of its own, or is a driver's: it is left to the
/// kernel.
void note_left_alone();
/// How many there are now. Thread-safe.
unsigned program_threads_now();
/// More than their seats, when so many more have been created.
bool are_too_many(unsigned to_come = 0);
/// In the child of a fork, which has one thread.
void begin_census_in_child();

/// The calling thread, which has this body, is about to create another one: the monitor begins to look, if that may matter,
/// until the end of this thread, or of another one that takes this over.
void begin_monitoring_by(body& creator);
void end_monitoring_by(body& ended);
/// Does the monitor look whether other programs keep them from their processors?
bool are_monitored();
/// For the monitor: the threads have this number of their processors from now on, unless those that share them on purpose say
/// otherwise; 0: all. Threads that poll are asked to attach at once.
void take_processors(unsigned processors);
/// They have had fewer for so long.
void count_time_with_fewer(std::uint64_t ns);

}  // namespace weir::threads
