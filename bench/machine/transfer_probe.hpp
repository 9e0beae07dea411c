// How long the transfer of a cache line from one processor to another takes at this moment.
//
// In a virtual machine this time changes within a second: two of its processors are in turn hyperthreads of one core, cores with
// a common cache, and cores with different caches. So a sample is kept with the probes right before and right after it
// (docs/records.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include <weir/machine/native.hpp>

namespace bench {

/// Two threads of its own, each bound to one of the processors, asleep between probes.
class transfer_probe {
 public:
  transfer_probe(int from, int to);
  ~transfer_probe();
  transfer_probe(const transfer_probe&) = delete;
  transfer_probe& operator=(const transfer_probe&) = delete;

  /// Half of a round trip, in nanoseconds. Takes 50 to 150 µs. Nothing where a thread could not be bound, or did not get its
  /// processor in time.
  std::optional<double> ns();

 private:
  template <class T>
  struct alignas(weir::line_bytes) line {
    std::atomic<T> value{0};
  };

  void send(int processor);
  void answer(int processor);
  std::optional<double> round_trips();
  /// Sleeps until there is a probe after the first `done`; false: there will be none.
  bool next(std::uint32_t done);

  line<std::uint32_t> there_, back_;     // the numbers of a probe's round trips
  line<std::uint32_t> asked_, answered_; // probes; twice as many, by both threads
  std::optional<double> found_;
  std::atomic<bool> unbound_{false};
  std::thread sender_, answerer_;
};

}  // namespace bench
