// Which processors there are: those of the program's threads, helpers, which are seats for bodies, and stand-ins for processors
// whose kernel threads are blocked.
#pragma once

#include <cstddef>

#include "threads/processor.hpp"

namespace weir::threads {

/// Of the calling thread: that which drives it, or its own.
processor& here();
/// For a processor that has nothing to do: steals from the others. True: it has bodies now.
bool steal_for(processor& mine);
/// For the thread that drives it, while it waits: a helper on the same processor of the kernel as another one goes to a free one.
/// The kernel would leave both there for some milliseconds, each waiting for the other.
void live_apart(const processor& mine);
/// All that start() has made. Who removes one waits for claimants: none looks at it any more.
void add_to_bodies(body& b);
void remove_from_bodies(body& b);
/// The calling thread's own body, which drives its processor, goes on as a thread of the kernel: a stand-in runs the others.
void give_away_own_processor();
/// The one whose kernel thread that is; null: none. For handlers, too.
processor* driven_by(pid_t thread);
/// By a thread that has the program's files: makes a stand-in, unless one is free; makes one if the monitor has asked.
void make_stand_in();
void make_wanted_stand_in();
/// The calling thread's body whose signal mask is known; null: none, it is asked of the system when the thread becomes one.
body* body_with_mask();
/// The program has set that body's mask.
void note_mask(signal_mask now);

/// For the monitor, in turn with all who claim queues.
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
  /// The bodies of a processor whose thread is blocked go on at a stand-in, if its running body has not changed since it had
  /// switched so often.
  void hand_off(processor& from, std::uint32_t switched, bool blocked);
  /// That which the thread is by these, started or driving; null: none.
  static body* body_of(pthread_t thread);
  static body* body_of(pid_t id);

 private:
  static processor* at(std::size_t which);
};

}  // namespace weir::threads
