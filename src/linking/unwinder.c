// A library that contains an unwinder of its own begins it when the library is loaded.
//
// pthread_exit() unwinds by the unwinder that the C library loads. Where that comes to a frame of this library with something to
// destroy, the frame's handler asks the library's own unwinder for a register. An unwinder that has never unwound anything aborts
// then: as in the child that a member of a team has forked.
#include <unwind.h>

static _Unwind_Reason_Code stop(struct _Unwind_Context* at, void* argument) {
  (void)at;
  (void)argument;
  return _URC_END_OF_STACK;
}

__attribute__((constructor)) static void begin(void) { _Unwind_Backtrace(stop, 0); }
