#include "cancel_type.hpp"

namespace weir {

constinit thread_local cancelled weir_is_cancelled = cancelled::at_points;
constinit cancel_type_function set_cancel_type = pthread_setcanceltype;

void defer_cancellation() {
  set_cancel_type(PTHREAD_CANCEL_DEFERRED, nullptr);
  weir_is_cancelled = cancelled::at_points_meanwhile;
}
void let_be_cancelled() {
  if (weir_is_cancelled != cancelled::at_points_meanwhile) return;  // a handler has set the other type
  weir_is_cancelled = cancelled::anywhere;
  set_cancel_type(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
}

interrupted_type defer_in_handler() {
  interrupted_type its;
  set_cancel_type(PTHREAD_CANCEL_DEFERRED, &its.of_library);
  its.of_program = weir_is_cancelled;
  if (its.of_program == cancelled::anywhere) weir_is_cancelled = cancelled::at_points_meanwhile;
  return its;
}
void restore_after_handler(interrupted_type its) {
  weir_is_cancelled = its.of_program;
  if (its.of_library != PTHREAD_CANCEL_DEFERRED) set_cancel_type(its.of_library, nullptr);
}

}  // namespace weir
