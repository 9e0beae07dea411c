// How long a cache line takes from one processor to another just now.
//
// Under a virtual machine that changes within a second: its processors are by turns hyperthreads of one core, cores of one cache,
// or of two. So a sample is kept with what a probe right before it and one right after it found (docs/records.md).
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
  /// Sleeps until there is one more probe than so many; false: there will be none.
  bool next(std::uint32_t done);

  line<std::uint32_t> there_, back_;     // the numbers of a probe's round trips
  line<std::uint32_t> asked_, answered_; // probes; twice as many, by both threads
  std::optional<double> found_;
  std::atomic<bool> unbound_{false};
  std::thread sender_, answerer_;
};

}  // namespace bench
