// A word that points into an array: the number in it is the same in each schedule, as an address is not.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>

#include "simulator/explorer/explored.hpp"

namespace explored_words {

template <class T>
class pointer {
  using order = std::memory_order;
  using place = std::source_location;

 public:
  explicit pointer(T* array) : array_(array) {}
  T* load(order as, const place& at = place::current()) const { return in_array(number_.load(as, at)); }
  void store(T* to, order as, const place& at = place::current()) { number_.store(number_of(to), as, at); }
  T* exchange(T* to, order as, const place& at = place::current()) { return in_array(number_.exchange(number_of(to), as, at)); }

 private:
  T* in_array(std::uint32_t n) const { return n != 0 ? array_ + n - 1 : nullptr; }
  std::uint32_t number_of(const T* to) const { return to != nullptr ? static_cast<std::uint32_t>(to - array_) + 1 : 0; }

  T* array_;
  weir::explorer::explored::word<std::uint32_t> number_{0};
};

}  // namespace explored_words
