// How a function of the C library is replaced: Weir's library comes first (preloaded, or linked before the C library).
#pragma once

#include <atomic>

#include <dlfcn.h>

#include "system/guarded_entry.hpp"
#include "threads/scheduling/body.hpp"

namespace weir::threads {

/// The next library's function of this name. Of the C library it is the default version, which programs get that are linked
/// today: RTLD_NEXT alone finds the oldest one in C libraries before 2.36 [bug 14932], and the oldest sched_getaffinity() has two
/// parameters.
void* find_next(const char* name);

/// The same, found once: when this library is loaded, or by the first who calls it, if that is earlier. dlsym() takes the
/// loader's lock, which a thread holds that runs a library's initializer, and this one may wait for the caller. relaxed: all
/// threads find the same.
template <class Function>
class next_function {
 public:
  constexpr explicit next_function(const char* name) : name_(name) {}
  Function* get() {
    Function* function = known_.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]]
      known_.store(function = reinterpret_cast<Function*>(find_next(name_)), std::memory_order_relaxed);
    return function;
  }
  /// Null: not yet.
  Function* if_known() const { return known_.load(std::memory_order_relaxed); }

 private:
  const char* const name_;
  std::atomic<Function*> known_{nullptr};
};

/// During the lifetime of this object no tick is sent to the calling body, and no question, if it is detached.
class without_ticks {
 public:
  without_ticks() : me_(this_body != nullptr ? this_body : own_body_of_thread()) {
    if (me_ != nullptr) me_->begin_call();
  }
  without_ticks(const without_ticks&) = delete;
  ~without_ticks() {
    if (me_ != nullptr) me_->end_call();
  }

 private:
  body* const me_;
};

/// The C library's function, which waits or has nothing to wake, for a thread that may be cancelled anywhere: there, too, if it
/// is no member. One whose processor is to be given on calls Weir's.
template <auto& next, auto does>
struct passed_on;
template <class Result, class... Parameters, auto& next, Result (*does)(Parameters...)>
struct passed_on<next, does> {
  static Result call(Parameters... arguments) {
    auto* const function = next.get();
    return function != nullptr && this_body == nullptr ? function(arguments...) : deferred<does>::call(arguments...);
  }
};

}  // namespace weir::threads

/// A next_function by the name next_NAME.
#define NEXT_FUNCTION(result, name, parameters)                                 \
  namespace {                                                                   \
  constinit weir::threads::next_function<result parameters> next_##name(#name); \
  [[gnu::constructor]] void find_##name() { next_##name.get(); }                \
  }

/// `entry`: the symbol's name.
#define WEIR_INTERPOSE(entry, result, name, parameters, ...) \
  NEXT_FUNCTION(result, name, parameters)                 \
  WEIR_ENTRY(entry, result, name, parameters, __VA_ARGS__)

/// The function that follows replaces the C library's function of this name, and calls that function as next_NAME. Only the
/// symbol has the name; the function has another one, because the headers may declare the name with attributes of their own. No
/// thread is cancelled within, but at cancellation points, and where with_type_of_program() says so.
#define INTERPOSE(result, name, parameters) \
  WEIR_INTERPOSE(name, result, name, parameters, weir::deferred<&weir_unguarded_##name>)
/// The same for a function that waits, and for which a thread of the kernel needs nothing of Weir.
#define INTERPOSE_WAITING(result, name, parameters) \
  WEIR_INTERPOSE(name, result, name, parameters, weir::threads::passed_on<next_##name, &weir_unguarded_##name>)
/// The same for a function that may be unwound from each instruction, as it does not return, or says itself where the thread may
/// be cancelled.
#define INTERPOSE_UNGUARDED(result, name, parameters)                                           \
  extern "C" [[gnu::visibility("default")]] result weir_unguarded_##name parameters asm(#name); \
  NEXT_FUNCTION(result, name, parameters)                                                       \
  extern "C" result weir_unguarded_##name parameters
