// How a signal for one thread comes to its body, wherever the body runs.
//
// A running body gets the signal where it runs, like any thread: on the kernel thread of its processor. The processor's queue is
// claimed meanwhile, so that the body does not stop before the signal has come. A body that does not run finds the signal when it
// goes on; a sleeping body is woken. A body that blocks the signal finds it when it unblocks the signal, or in its own kernel
// thread, when it asks for signals there. The body may move or unblock the signal while it is summoned (summons.hpp), so the
// sender looks again, and takes the signal back if what it has seen is no longer so.
//
// The text is a template, as driver.hpp.
#pragma once

#include <cerrno>
#include <optional>
#include <utility>

#include "threads/scheduling/driver.hpp"

namespace weir::threads {

/// The body is held just now, and perhaps because it waits for the caller's claim; or it is on the way to its own kernel thread.
/// The caller ends the claim, finds the body again, and sends again.
inline constexpr int send_again = -2;

template <class Bodies>
class basic_sender {
 public:
  using machine = typename Bodies::machine;
  using body = typename Bodies::body;
  using processor = typename Bodies::processor;
  using signal = typename Bodies::signal;
  /// What the caller has left with the body, which may take it before the caller sends again. Others may send to the body
  /// meanwhile.
  using left_signal = std::optional<typename Bodies::pending>;

  /// Called by a claimant. Returns 0, or an error: EAGAIN, where too many wait; or send_again. Then the caller calls again with
  /// the same `left`, which is nothing at first.
  static int send(body& to, const signal& why, left_signal& left) {
    if (const left_signal earlier = std::exchange(left, std::nullopt); earlier && !to.withdraw(*earlier)) return 0;
    for (;;) {
      processor* const on = to.where();
      if (on == nullptr) {
        // Signals that have been left with it come first: they were sent first.
        // Its thread may drive its own processor by now, and another body may run there.
        if (!to.has_arrived() || Bodies::has_processor(to)) return send_again;
        return Bodies::send_to_thread(to, why);  // before it is attached (body.cpp)
      }
      if (!to.may(moves::to_stand_in)) {
        int error = 0;
        if (send_to_idle(to, why, error)) return error;
        continue;
      }
      if (to.blocks(why)) {
        const left_signal pending = to.summon(why);
        if (!pending) return EAGAIN;
        if ((to.blocks(why) && to.where() == on) || !to.withdraw(*pending)) return 0;
        continue;
      }
      if (on->current() != &to) {
        const left_signal pending = to.summon(why);
        if (!pending) return EAGAIN;
        machine::fence_everywhere();  // as in basic_driver::switch_to()
        if (on->current() != &to && to.where() == on) return Bodies::wake(to), 0;
        if (!to.withdraw(*pending)) return 0;
        continue;  // the body has moved, or begun to run meanwhile, and may have missed the signal
      }
      if (on->claim(on->switches())) {
        const bool runs = on->current() == &to;
        int error = 0;
        if (runs) {
          error = Bodies::send_to_processor(*on, why);
          await_arrival();
        }
        on->unclaim();
        if (runs) return error;
      }
      // A body that yields in a loop is held whenever it lets this thread run, and takes the signal itself.
      left = to.summon(why);
      return send_again;
    }
  }

 private:
  /// The kernel interrupts the thread for a fence, so a signal that has been sent is handled before the body goes on.
  static void await_arrival() { machine::fence_everywhere(); }

  /// Sends the signal to the body of a thread that drives nothing now. If the thread begins to drive, no other body runs there
  /// before the signal is handled. False: the thread has begun to drive.
  static bool send_to_idle(body& to, const signal& why, int& error) {
    processor& home = *to.home();
    home.ask_for_claim();
    machine::fence_everywhere();
    const bool idle = !to.may(moves::to_stand_in);
    if (idle) {
      error = Bodies::send_to_thread(to, why);
      await_arrival();
    }
    home.unclaim();
    return idle;
  }
};

}  // namespace weir::threads
