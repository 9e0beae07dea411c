// What a processor's thread has for itself: contexts of this thread use it in turn, so in the search it is in words.
#pragma once

#include "machine.hpp"

namespace explored_threads {

/// Memory of the thread that drives a processor, in the name of one context or another.
template <class T>
class own_memory {
 public:
  /// A value, and where it is stored.
  struct placed {
    placed(T it, place where = place::current()) : value(it), at(where) {}
    T value;
    place at;
  };
  explicit own_memory(T initial = {}) : word_(static_cast<std::uint64_t>(initial)) {}
  operator T() const { return static_cast<T>(word_.load(order::relaxed)); }
  own_memory& operator=(placed to) {
    word_.store(static_cast<std::uint64_t>(to.value), order::relaxed, to.at);
    return *this;
  }

 private:
  word<std::uint64_t> word_;
};
template <class T>
class own_memory<T*> {
 public:
  struct placed {
    placed(T* it, place where = place::current()) : value(it), at(where) {}
    T* value;
    place at;
  };
  explicit own_memory(T* initial) : pointer_(initial) {}
  operator T*() const { return pointer_.load(order::relaxed); }
  own_memory& operator=(placed to) {
    pointer_.store(to.value, order::relaxed, to.at);
    return *this;
  }

 private:
  machine::pointer<T> pointer_;
};

}  // namespace explored_threads
