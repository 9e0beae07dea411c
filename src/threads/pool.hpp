// Which processors there are: those of the program's threads, helpers, which are seats for bodies, and stand-ins for processors
// whose kernel threads are blocked.
#pragma once

#include <cstddef>
#include <functional>

#include "threads/processor.hpp"

namespace weir::threads {

/// The processor that drives the calling thread, or the thread's own processor.
processor& here();
/// Is the calling thread in a region of its own, whose processor it drives or has given away?
bool is_driving();
/// For a processor that has nothing to do: steals from the others. True: it has bodies now.
bool steal_for(processor& mine);
/// For the thread that drives the processor, while it waits: if two helpers run on one processor of the kernel, one moves to a
/// free processor. The kernel would leave both there for some milliseconds, each waiting for the other.
void live_apart(const processor& mine);
/// One of the helpers for the program's threads whose thread sleeps, and that has nothing to do; null: there is none.
processor* idle_helper();
/// The list of all bodies of threads, but for those that drive a processor of their own. Removing a body waits for claimants, so
/// that none still reads the body. The processors end with the last thread that uses them.
void add_to_bodies(body& b, bool uses_processors);
void remove_from_bodies(body& b, bool uses_processors);
/// The calling body is going to block in the system: the other bodies of its processor go on at a stand-in at once.
void hand_off_to_block();
/// The calling thread's own body, which drives its processor, goes on as a thread of the kernel: a stand-in runs the others.
void give_away_own_processor();
/// The processor that this kernel thread drives; null: none. Handlers may call it, too.
processor* driven_by(pid_t thread);
/// The one that was made last, of all that ever were; made_before leads to the others.
processor* last_processor();
/// Creates a stand-in, unless one is free; or creates one if the monitor has asked for it. The calling thread must have the
/// program's file descriptors.
void make_stand_in();
void make_wanted_stand_in();
/// The calling thread's body if the body's signal mask is known; null: it is not, and the system is asked when the thread becomes
/// a body.
body* body_with_mask();
/// The program has set that body's mask.
void note_mask(signal_mask now);
/// The calling member, if it has been cancelled, goes on in its own kernel thread.
void go_home_if_called();

/// For the monitor and all others that claim queues: one claimant at a time.
class claimant {
 public:
  claimant();
  ~claimant();
  claimant(const claimant&) = delete;
  /// Calls what(processor&) for each that may be driven.
  template <class What>
  void for_each(What what) {
    for (std::size_t i = 0; processor* const p = at(i); ++i) what(*p);
  }
  /// The bodies of a processor whose thread is blocked go on at a stand-in, unless the processor has switched since `switched`.
  void hand_off(processor& from, std::uint32_t switched, bool blocked);
  /// Calls what(const body&) for each body of a thread that drives no processor of its own.
  static void for_each_body(const std::function<void(const body&)>& what);
  /// The body of this thread, whether start() has created the thread or the thread drives a processor; null: none.
  static body* body_of(pthread_t thread);
  static body* body_of(pid_t id);
  /// The thread has been cancelled: it goes to its own kernel thread when it next waits, and stays there. If it blocks in the system,
  /// the monitor ends that.
  static void call_home(pthread_t thread);
  /// Is a body there that has been called home?
  static bool has_called_home(const processor& on);

 private:
  static processor* at(std::size_t which);
};

}  // namespace weir::threads
