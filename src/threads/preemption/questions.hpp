// Signals for bodies in their own kernel threads: do they poll, and shall they attach?
//
// The signal is that of ticks. Like a tick it must end no system call early: a thread that computes may begin a call before the
// signal comes. So a claimant announces the signal, and the functions of the C library that block announce the call
// (calls/calls.cpp), both with a fence between the announcement and the look at the other one's: either the signal is not sent,
// or the call begins when the signal has been handled.
#pragma once

#include <array>
#include <cstddef>

namespace weir::threads {

struct body;

/// Of a claimant that has called hold_ticks().
class questions {
 public:
  static constexpr std::size_t most = 64;

  /// The body is detached. More than `most` are not asked.
  void add(body& b) {
    if (count_ != most) bodies_[count_++] = &b;
  }
  /// Sends them all the signal, with this value, but for those that are in the system, or block the signal.
  void ask(const void* what);

 private:
  std::array<body*, most> bodies_;
  std::size_t count_ = 0;
};

}  // namespace weir::threads
