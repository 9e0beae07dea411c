// A claimant claims queues: the monitor, and threads that send signals, cancel, or change the state of other threads. One at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "threads/scheduling/processor.hpp"

namespace weir::threads {

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
  /// The bodies of a processor whose thread is blocked go on at a stand-in, unless the processor has switched since `switched`;
  /// in their own kernel threads if the system refuses stand-ins. False: they are still there.
  bool hand_off(processor& from, std::uint32_t switched, bool blocked);
  /// Calls what(const body&) for each body of a thread that drives no processor of its own.
  static void for_each_body(const std::function<void(const body&)>& what);
  /// The same for some of them, about `most`, in turn: `place` is the caller's, to go on from. True: for all.
  static bool for_some_bodies(std::size_t& place, std::size_t most, const std::function<void(body&)>& what);
  /// The body of this thread, whether start() has created the thread or the thread drives a processor; null: none.
  static body* body_of(pthread_t thread);
  /// Has this thread a body besides that of a processor which it drives? The processor may outlast the thread.
  static bool has_body_of(pthread_t thread);
  static body* body_of(pid_t id);
  /// The body to which a signal for this thread goes. A thread of the program that opens a region has two: its own, and that of
  /// the processor which it drives; others run there meanwhile.
  static body* receiver_of(pthread_t thread);
  static body* receiver_of(pid_t id);
  /// Has the thread of this listed body a processor of its own, too?
  static bool has_processor(const body& listed);
  /// The thread has been cancelled: it goes to its own kernel thread when it next waits, and stays there. If it blocks in the
  /// system, the monitor ends that.
  static void ask_to_detach(pthread_t thread);
  /// Is a body there that has been asked to detach?
  static bool has_asked_to_detach(const processor& on);

 private:
  static processor* at(std::size_t which);
};

/// The calling member, if it has been cancelled, goes on in its own kernel thread.
void detach_if_asked();

}  // namespace weir::threads
