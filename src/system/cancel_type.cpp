#include "cancel_type.hpp"

namespace weir {

constinit thread_local std::atomic<cancelled> weir_is_cancelled{cancelled::at_points};
constinit cancel_type_function set_cancel_type = pthread_setcanceltype;

namespace {

cancelled now() { return weir_is_cancelled.load(std::memory_order_relaxed); }
bool becomes(cancelled to, cancelled from) {
  return weir_is_cancelled.compare_exchange_strong(from, to, std::memory_order_relaxed);
}
int type_for(cancelled type) { return type == cancelled::anywhere ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED; }

/// Until no handler has set another type meanwhile.
void follow_program() {
  for (cancelled type = now();; type = now()) {
    set_cancel_type(type_for(type), nullptr);
    if (now() == type) return;
  }
}

}  // namespace

// A handler between the first two leaves the type that the program has set. Afterwards none does.
void defer_cancellation() {
  set_cancel_type(PTHREAD_CANCEL_DEFERRED, nullptr);
  for (cancelled type = now(); !runs_weir(type); type = now())
    if (becomes(type == cancelled::anywhere ? cancelled::at_points_meanwhile : cancelled::at_points_from_now, type)) break;
  set_cancel_type(PTHREAD_CANCEL_DEFERRED, nullptr);
}
void let_be_cancelled() {
  for (cancelled type = now(); runs_weir(type); type = now())
    if (becomes(type == cancelled::at_points_meanwhile ? cancelled::anywhere : cancelled::at_points, type))
      return follow_program();
}

// A handler may come between any two here, too. One that sets another type sets both.
interrupted_type defer_in_handler() {
  interrupted_type before;
  before.of_program = now();
  set_cancel_type(PTHREAD_CANCEL_DEFERRED, &before.of_library);
  for (;;) {
    const cancelled of_program = now();
    if (of_program != before.of_program) before = {type_for(of_program), of_program};
    if (of_program != cancelled::anywhere) return before;
    if (!becomes(cancelled::at_points_meanwhile, of_program)) continue;
    set_cancel_type(PTHREAD_CANCEL_DEFERRED, nullptr);
    return before;
  }
}
void restore_after_handler(interrupted_type before) {
  weir_is_cancelled.store(before.of_program, std::memory_order_relaxed);
  if (before.of_library == PTHREAD_CANCEL_DEFERRED) return;
  set_cancel_type(before.of_library, nullptr);
  if (now() != before.of_program) follow_program();
}

interrupted_type for_handler_of_program(interrupted_type interrupted) {
  if (interrupted.of_library == PTHREAD_CANCEL_ASYNCHRONOUS) interrupted.of_program = cancelled::anywhere;
  return interrupted;
}
interrupted_type after_handler_of_program(interrupted_type before, interrupted_type now) {
  if (before.of_library != PTHREAD_CANCEL_ASYNCHRONOUS || before.of_program == cancelled::anywhere) return now;
  if (now.of_program == cancelled::anywhere) return before;
  return {PTHREAD_CANCEL_DEFERRED, runs_weir(before.of_program) ? cancelled::at_points_from_now : cancelled::at_points};
}

}  // namespace weir
