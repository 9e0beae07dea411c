// Does an operation of MPI move just now? While it does, a waiter asks MPI to progress without sleeping: a rendezvous copies a
// large message in pieces, and each call copies one.
//
// MPI does not say. A call in which something moves takes longer than one in which nothing does, and the shortest call so far
// stands for the latter. Two calls in a row must be long, because the first one after a sleep always is. On a busy machine the
// second one may be, too: then nothing follows, and after some such alarms in vain the waiter stays awake for a short time only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace weir::mpi {

/// Times in microseconds.
class movement {
 public:
  static constexpr double awake_us = 1000, awake_in_vain_us = 50;
  static constexpr unsigned most_in_vain = 3;

  /// `call` asks MPI to progress and returns how long that took, in processor time: Open MPI may yield the processor in it.
  template <class Call>
  void find_out(double now_us, Call call) {
    if (!is_long(call()) || !is_long(call())) return;
    // Within the time awake, it has come true.
    in_vain_ = is_moving(now_us) ? 0 : std::min(in_vain_ + 1, most_in_vain + 1);
    until_us_ = now_us + (in_vain_ > most_in_vain ? awake_in_vain_us : awake_us);
  }
  bool is_moving(double now_us) const { return now_us < until_us_; }

 private:
  bool is_long(double took_us) {
    shortest_us_ = std::min(shortest_us_, took_us);
    return took_us > 3 * shortest_us_ + 2;
  }

  double shortest_us_ = std::numeric_limits<double>::infinity();
  double until_us_ = 0;
  unsigned in_vain_ = 0;
};

}  // namespace weir::mpi
