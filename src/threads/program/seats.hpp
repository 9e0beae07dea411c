// The seats of the program's threads: who has one, and when a thread takes it.
#pragma once

#include <atomic>
#include <cstdint>

#include "threads/preemption/above.hpp"
#include "threads/program/absences.hpp"
#include "threads/program/program_threads.hpp"
#include "threads/scheduling/body.hpp"

namespace weir::threads {

struct known_thread {
  beginning does{};
  std::uint64_t created_at = 0;  // in ticks
  body its;
  processor* seat = nullptr;
  unsigned number = 0, among = 0;  // of the seat, among so many; 0: it has none
  unsigned waits_before_seat = 0;
  absences seat_left;
  bool has_been_member = false;
};

/// Of the calling thread. Null: it may not be given a seat, or nobody has asked yet.
extern constinit thread_local known_thread* mine;
extern constinit thread_local bool stays_in_kernel;
// How many threads have had a seat. relaxed: a number with which no other data goes.
extern constinit std::atomic<unsigned> have_been_members;

bool are_too_many();
bool is_first_thread();
bool may_be_adopted();
/// The calling thread may be given a seat from now on.
void adopt_this_thread(known_thread& its);
bool adopt_this_thread();
/// It needs a place to park and a processor, for the first time. In a handler only processors that are there already will do.
bool find_seat(bool is_in_handler);
/// True: a virtual processor drives the calling thread from now on.
bool take_seat(bool is_in_handler = false);

/// Null: there is no memory.
known_thread* new_known_thread();
void forget_known_thread(known_thread& its);
/// Before the calling thread ends: nobody drives it any more, and it has no seat.
void give_up_seat(known_thread& its);

}  // namespace weir::threads
