// What the tests of members on virtual processors share.
#pragma once

#include <weir/crowd.hpp>

#include <chrono>
#include <mutex>
#include <thread>

#include "../openmp/driving_thread.h"

inline void yields(int count) {
  for (int i = 0; i < count; ++i) weir::this_member::yield();
}

/// Five members enter five times each, and give their processors away inside.
inline int entries_of_five_by_a_mutex(weir::crowd::options how) {
  std::mutex mutex;
  int inside = 0;
  weir::crowd c(5, [&](unsigned) {
    for (int i = 0; i < 5; ++i) {
      const std::lock_guard lock(mutex);
      ++inside;
      yields(3);
    }
  }, how);
  c.join();
  return inside;
}

/// Until it holds; false: not within a minute. For threads that are no members.
template <class Holds>
bool eventually(Holds holds) {
  for (int i = 0; i < 6000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return holds();
}

/// The kernel's number of the thread that drives the caller.
inline long kernel_thread() { return driving_thread(); }
