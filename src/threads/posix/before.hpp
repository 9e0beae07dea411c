// How a function of the C library is replaced: Weir's library comes first (preloaded, or linked before the C library).
#pragma once

#include <atomic>

#include <dlfcn.h>

#include "threads/scheduling/body.hpp"

namespace weir::threads {

/// The next library's function of this name. Of the C library it is the default version, which programs get that are linked today:
/// RTLD_NEXT alone finds the oldest one in C libraries before 2.36 [bug 14932], and the oldest sched_getaffinity() has two parameters.
void* find_next(const char* name);

/// The same, found once: when this library is loaded, or by the first who calls it, if that is earlier. dlsym() takes the loader's lock,
/// which a thread holds that runs a library's initializer, and this one may wait for the caller. relaxed: all threads find the same.
template <class Function>
class next_function {
 public:
  constexpr explicit next_function(const char* name) : name_(name) {}
  Function* get() {
    Function* its = known_.load(std::memory_order_relaxed);
    if (its == nullptr) [[unlikely]]
      known_.store(its = reinterpret_cast<Function*>(find_next(name_)), std::memory_order_relaxed);
    return its;
  }

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

}  // namespace weir::threads

/// A next_function by the name next_NAME.
#define NEXT_FUNCTION(result, name, parameters)                                 \
  namespace {                                                                   \
  constinit weir::threads::next_function<result parameters> next_##name(#name); \
  [[gnu::constructor]] void find_##name() { next_##name.get(); }                \
  }

/// The function that follows replaces the C library's function of this name, and calls that function as next_NAME. Only the
/// symbol has the name; the function has another one, because the headers may declare the name with attributes of their own.
#define BEFORE(result, name, parameters)                                                     \
  extern "C" [[gnu::visibility("default")]] result weir_before_##name parameters asm(#name); \
  NEXT_FUNCTION(result, name, parameters)                                                    \
  extern "C" result weir_before_##name parameters
