// What the thread of a processor has for itself. In the search the contexts of this thread are members of their own, so a switch
// hands the memory over, as one number (driving.hpp).
#pragma once

#include "machine.hpp"

namespace explored_threads {

struct thread_memory;
inline constinit thread_memory* memory_being_made = nullptr;

struct thread_memory {
  thread_memory() { memory_being_made = this; }
  std::uint64_t values = 0;  // the values, side by side
  unsigned bits = 0;         // of them
  bool is_here = false;      // the member that runs is this thread's
};
/// Otherwise the member waits for ever, which the search reports.
inline void require(bool holds);

template <class T>
struct as_bits {
  static constexpr unsigned width = 2;
  static std::uint64_t of(T value) { return static_cast<std::uint64_t>(value); }
  static T from(std::uint64_t bits) { return static_cast<T>(bits); }
};
/// The distance from the begin of the scenario, which is the same for all members.
template <class T>
struct as_bits<T*> {
  static constexpr unsigned width = 16;
  static std::uint64_t of(T* to) { return to == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(to) - scenarios.here(); }
  static T* from(std::uint64_t bits) { return bits == 0 ? nullptr : reinterpret_cast<T*>(scenarios.here() + bits); }
};

/// Memory of the thread that drives a processor, in the name of one context or another.
template <class T>
class own_memory {
  using bits = as_bits<T>;
  static constexpr std::uint64_t all_its_bits = (std::uint64_t{1} << bits::width) - 1;

 public:
  /// A value, and where it is stored.
  struct placed {
    placed(T it, place where = place::current()) : value(it), at(where) {}
    T value;
    place at;
  };
  explicit own_memory(T initial = {}) : in_(*memory_being_made), shift_(in_.bits) {
    in_.bits += bits::width;
    set(initial);
  }
  operator T() const {
    require(in_.is_here);
    return bits::from(in_.values >> shift_ & all_its_bits);
  }
  own_memory& operator=(placed to) {
    require(in_.is_here);
    if (!is_left_out(to.at)) set(to.value);
    return *this;
  }

 private:
  void set(T to) {
    const std::uint64_t value = bits::of(to);
    require(value <= all_its_bits);
    in_.values = (in_.values & ~(all_its_bits << shift_)) | value << shift_;
  }

  thread_memory& in_;
  const unsigned shift_;
};

}  // namespace explored_threads
