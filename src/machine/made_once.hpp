// What is made where it is first asked for, and never destroyed: where a program ends, threads of it may ask still.
//
// A local variable's initialization would do, but others wait for it: in a process that is forked meanwhile it never ends. Here
// two threads may both make one, and what the first to be done has made is everybody's.
#pragma once

#include <atomic>
#include <memory>

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
    auto mine = std::make_unique<const T>(make());
    const T* known = nullptr;
    if (it_.compare_exchange_strong(known, mine.get(), std::memory_order_acq_rel)) known = mine.release();
    return *known;
  }

  std::atomic<const T*> it_{nullptr};
};

}  // namespace weir
