// Machines whose words are not what a program asks for: mutants of any text over a Machine.
#pragma once

#include <atomic>

#include "simulator/explorer/explored.hpp"

namespace weir::explorer {

template <class T>
struct word_that_does_not_compare : explored::word<T> {
  using explored::word<T>::word;
  bool compare_exchange_strong(T&, T wanted, std::memory_order asked) {
    this->store(wanted, asked);
    return true;
  }
};
struct takes_without_comparing : explored {
  template <class T>
  using word = word_that_does_not_compare<T>;
};

}  // namespace weir::explorer
