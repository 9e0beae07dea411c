// Which processors there are: those of the program's threads, helpers, which are seats for bodies, and stand-ins for processors
// whose kernel threads are blocked (hand_off.hpp).
#pragma once

#include <atomic>

#include "threads/scheduling/processor.hpp"

namespace weir::threads {

class library_signal;

/// The processor that drives the calling thread, or the thread's own processor.
processor& here();
/// Is the calling thread in a region of its own, whose processor it drives or has given away?
bool is_driving();
/// For a body that is going to use processors; they end with the last thread that does. False: there are none, and the caller
/// wants to begin none.
bool begin_to_use_processors(bool only_if_others_do);
/// As helper(), but creates no processor; null: there is none.
processor* helper_that_is_there(unsigned which);
bool are_processors_used();
/// Written when the library is loaded. The number of processors for the program's threads; 0: they are threads of the kernel.
extern constinit unsigned processors_for_all;
inline bool all_may_become_members() { return processors_for_all != 0; }
/// May they take seats now? Otherwise some of them must be found to poll first (program_thread.hpp). relaxed: who sees it late
/// takes a seat late.
extern constinit std::atomic<bool> seats_are_open;
inline bool all_are_members() { return seats_are_open.load(std::memory_order_relaxed); }
/// How many of those are used now; 0: all. Written by those who decide that (program_thread.hpp). relaxed: who sees it late
/// takes another seat late.
extern constinit std::atomic<unsigned> processors_used_now;
inline unsigned seats_now() {
  const unsigned used = processors_used_now.load(std::memory_order_relaxed);
  return used == 0 || used > processors_for_all ? processors_for_all : used;
}
/// The monitor runs, without processors, until as many calls of the second function. Thread-safe.
void begin_to_monitor();
void end_to_monitor();
/// For the monitor, which is the claimant, while the process has been at rest since then: stand-ins that have nothing to do end
/// after a second; the maker makes others when they are wanted. Returns when to call it again; the largest number: once a
/// stand-in no longer acts for a seat, of which the monitor is told. In nanoseconds.
std::uint64_t end_stand_ins_at_rest(std::uint64_t since, std::uint64_t now);
/// The processor that this kernel thread drives; null: none. Handlers may call it, too.
processor* driven_by(pid_t thread);
/// For a handler of Weir's in the kernel thread `thread`, which runs another thread's body: the C library's handler marks the
/// thread that the thread pointer names, and the signal is for the one that drives the processor. So that one's is set meanwhile,
/// and no other signal is handled. Nothing happens in a kernel thread that drives no processor.
void call_library_for_driver(const library_signal& of, pid_t thread, siginfo_t* why, void* interrupted);
/// The one that was made last, of all that ever were; made_before leads to the others.
processor* last_processor();

}  // namespace weir::threads
