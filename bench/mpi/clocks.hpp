// The processes' clocks, and their common time, which is rank 0's.
#pragma once

#include <cstdint>
#include <vector>

#include "conversation.hpp"

namespace bench::mpi {

/// For tests: rank r's clock is off by r times the skew, and fast by r times the drift.
struct pretence {
  double skew_ns = 0;
  double drift = 0;
};

class process_clock {
 public:
  process_clock(int rank, pretence p);
  std::int64_t now() const;
  /// The error of now() that the pretence has added.
  std::int64_t pretended(std::int64_t at) const { return at - true_of(at); }

 private:
  static std::int64_t true_now();
  std::int64_t true_of(std::int64_t at) const;

  std::int64_t start_ns_;
  double skew_ns_, drift_;
};

/// The offset of a process's clock at one moment, as rank 0 measured it.
struct clock_offset {
  std::int64_t here_ns = 0;       // that moment by the process's own clock
  std::int64_t offset_ns = 0;     // how far its clock is ahead of rank 0's
  double uncertainty_ns = 0;      // half of the round trip: the offset is correct to within it, whichever direction was slower
  std::int64_t pretended_ns = 0;  // the offset that should have been found if processes share one clock
};

/// Ping-pongs between rank 0 and each other process; for each process the one with the shortest round trip counts [Cristian
/// 1989]. Offsets between two such exchanges are interpolated, which removes drift.
class common_time {
 public:
  common_time(conversation& talk, const process_clock& clock) : talk_(talk), clock_(clock) {}

  /// All processes. They poll for the pings, so each should have a processor of its own.
  void synchronise();

  /// The time on this process's clock at the moment `common`, extrapolated from the last exchange.
  std::int64_t here(std::int64_t common) const;
  /// The common time of a moment between the last two exchanges.
  std::int64_t common(std::int64_t here) const;
  std::int64_t now() const { return clock_.now(); }

  /// In rank 0: the last offsets of all others, in order of rank.
  const std::vector<clock_offset>& found() const { return found_; }
  double largest_uncertainty_ns() const;

 private:
  clock_offset measure_offset(int rank);
  void answer_pings();

  conversation& talk_;
  const process_clock& clock_;
  clock_offset first_, before_, last_;
  bool met_ = false;
  std::vector<clock_offset> found_;
};

}  // namespace bench::mpi
