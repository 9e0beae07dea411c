// The processes' clocks, and the time that they have in common: rank 0's.
#pragma once

#include <cstdint>
#include <vector>

#include "conversation.hpp"

namespace bench::mpi {

/// For tests: rank r's clock is r times so far off, and so much too fast.
struct pretence {
  double skew_ns = 0;
  double drift = 0;
};

class process_clock {
 public:
  process_clock(int rank, pretence p);
  std::int64_t now() const;
  /// By how much now() is off for the pretence's sake.
  std::int64_t pretended(std::int64_t at) const { return at - true_of(at); }

 private:
  static std::int64_t true_now();
  std::int64_t true_of(std::int64_t at) const;

  std::int64_t start_ns_;
  double skew_ns_, drift_;
};

/// What rank 0 has found of a process's clock at one moment.
struct meeting {
  std::int64_t here_ns = 0;       // that moment by the process's own clock
  std::int64_t offset_ns = 0;     // how far its clock is before rank 0's
  double uncertainty_ns = 0;      // half of the round trip: the offset is within it, whichever way was the slower
  std::int64_t pretended_ns = 0;  // what it should have found, where processes share one clock
};

/// Ping-pongs between rank 0 and each other process; of each the one with the least round trip counts [Cristian 1989]. Offsets
/// between two such meetings are interpolated, which takes drift out.
class common_time {
 public:
  common_time(conversation& talk, const process_clock& clock) : talk_(talk), clock_(clock) {}

  /// All processes. They poll for the pings, so each should have a processor of its own.
  void synchronise();

  /// When it will be `common` by this process's clock, as far as it is known now.
  std::int64_t here(std::int64_t common) const;
  /// The common time of a moment between the last two meetings.
  std::int64_t common(std::int64_t here) const;
  std::int64_t now() const { return clock_.now(); }

  /// In rank 0: the last meetings with all others, in order of rank.
  const std::vector<meeting>& found() const { return found_; }
  double largest_uncertainty_ns() const;

 private:
  meeting meet(int rank);
  void be_met();

  conversation& talk_;
  const process_clock& clock_;
  meeting first_, before_, last_;
  bool met_ = false;
  std::vector<meeting> found_;
};

}  // namespace bench::mpi
