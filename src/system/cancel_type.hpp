// Where the calling thread may be cancelled: at cancellation points, or anywhere (PTHREAD_CANCEL_ASYNCHRONOUS).
//
// A thread that is cancelled is unwound from the instruction at which it is. Few functions of C++ can be unwound from any
// instruction: where something is to be destroyed, only calls may end so, and elsewhere the process is ended. So while a thread
// that may be cancelled anywhere executes Weir's code, its type is the deferred one. The functions here destroy nothing, so they
// can be unwound.
#pragma once

#include <atomic>
#include <type_traits>

#include <pthread.h>

namespace weir {

/// By the type that the program has set. Meanwhile: it is `anywhere`, but Weir's code runs. From now on: so it was until a
/// handler has interrupted that code, and set the deferred type.
enum class cancelled : unsigned char { at_points = 0, anywhere = 1, at_points_meanwhile = 2, at_points_from_now = 3 };
constexpr bool runs_weir(cancelled type) { return type >= cancelled::at_points_meanwhile; }
/// Read by the entries of replaced functions, too (threads/posix/interpose.hpp). relaxed, all: of this thread and its handlers
/// alone.
extern "C" [[gnu::visibility("hidden")]] constinit thread_local std::atomic<cancelled> weir_is_cancelled;
inline bool is_cancelled_anywhere() { return weir_is_cancelled.load(std::memory_order_relaxed) == cancelled::anywhere; }

/// The C library's pthread_setcanceltype(). Written when the library is loaded, where Weir has a function in its place.
using cancel_type_function = int (*)(int to, int* before);
extern constinit cancel_type_function set_cancel_type;

/// The type of a thread that may be cancelled anywhere becomes the deferred one, and back: then it ends here if it has been
/// cancelled.
void defer_cancellation();
void let_be_cancelled();
/// The program's code is over, and only Weir's follows.
inline void defer_cancellation_for_good() {
  if (!is_cancelled_anywhere()) [[likely]] return;
  defer_cancellation();
  weir_is_cancelled.store(cancelled::at_points, std::memory_order_relaxed);
}

/// During the lifetime of this object the calling thread is not cancelled at cancellation points, where Weir's code may come to
/// them. A thread that may be cancelled anywhere has deferred that.
class without_cancellation {
 public:
  without_cancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  without_cancellation(const without_cancellation&) = delete;
  ~without_cancellation() { pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

/// call() does the same as `does`, in a thread that may be cancelled anywhere.
template <auto does>
struct deferred;
template <class Result, class... Parameters, Result (*does)(Parameters...)>
struct deferred<does> {
  static Result call(Parameters... arguments) {
    defer_cancellation();
    if constexpr (std::is_void_v<Result>) {
      does(arguments...);
      let_be_cancelled();
    } else {
      const Result result = does(arguments...);
      let_be_cancelled();
      return result;
    }
  }
  static Result call_if_needed(Parameters... arguments) {
    return is_cancelled_anywhere() ? call(arguments...) : does(arguments...);
  }
};

/// Within that: calls a function that may wait, or that runs code of the program's, with the type that the program has set.
template <class Result, class... Parameters>
[[gnu::noinline]] Result with_type_of_program(Result (*does)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  if (!runs_weir(weir_is_cancelled.load(std::memory_order_relaxed))) [[likely]] return does(arguments...);
  let_be_cancelled();
  if constexpr (std::is_void_v<Result>) {
    does(arguments...);
    defer_cancellation();
  } else {
    const Result result = does(arguments...);
    defer_cancellation();
    return result;
  }
}

/// What a handler of Weir's has found. A handler may also interrupt a call in which the C library lets the thread be cancelled
/// anywhere, whatever the program has set.
struct interrupted_type {
  int of_library = PTHREAD_CANCEL_DEFERRED;
  cancelled of_program = cancelled::at_points;
};
interrupted_type defer_in_handler();
void restore_after_handler(interrupted_type before);
/// The program's handler is cancelled anywhere, as without Weir, where the C library's type is that one: so are the functions
/// that it calls. The interrupted code goes on with the type that it had, unless the handler has set the deferred one.
interrupted_type for_handler_of_program(interrupted_type interrupted);
interrupted_type after_handler_of_program(interrupted_type before, interrupted_type now);
/// Between those two: calls the program's handler with what Weir's has found. Returns what it has found afterwards.
template <class... Parameters>
[[gnu::noinline]] interrupted_type with_interrupted_type(interrupted_type before, void (*does)(Parameters...),
                                                         std::type_identity_t<Parameters>... arguments) {
  restore_after_handler(for_handler_of_program(before));
  does(arguments...);
  return after_handler_of_program(before, defer_in_handler());
}

}  // namespace weir
