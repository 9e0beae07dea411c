// An object that is created at its first use, and never destroyed: when a program ends, its threads may still use the object.
//
// A local static variable would do, but other threads wait for its initialization, which never ends in a child that is forked
// meanwhile. Here two threads may both create an object; the first to finish publishes its object, and the other object is
// deleted.
#pragma once

#include <atomic>
#include <memory>

#include "cancel_type.hpp"

namespace weir {

/// To be constinit.
template <class T>
class made_once {
 public:
  template <class Make>
  const T& operator()(Make make) {
    // acquire: what its maker wrote; release below.
    if (const T* const known = it_.load(std::memory_order_acquire)) [[likely]] return *known;
    return first(make);
  }

 private:
  template <class Make>
  [[gnu::noinline, gnu::cold]] const T& first(Make make) {
    const without_cancellation to_the_end;  // it may read files
    auto made = std::make_unique<const T>(make());
    const T* known = nullptr;
    if (it_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) known = made.release();
    return *known;
  }

  std::atomic<const T*> it_{nullptr};
};

}  // namespace weir
