// A library that contains an unwinder of its own begins it when the library is loaded.
//
// pthread_exit() unwinds by the unwinder that the C library loads. Where it comes to a frame of this library with something to destroy,
// that frame's handler asks the library's own unwinder for a register, and that aborts if it has never unwound anything: as in the
// child that a member of a team has forked.
#include <unwind.h>

static _Unwind_Reason_Code stop(struct _Unwind_Context* at, void* its) {
  (void)at;
  (void)its;
  return _URC_END_OF_STACK;
}

__attribute__((constructor)) static void begin(void) { _Unwind_Backtrace(stop, 0); }
