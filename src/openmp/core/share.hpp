// How many processors each thread of the program may take for its regions.
//
// A team that is alone has all processors of the process. If several threads of the program are in regions at the same time, each
// gets a share of the processors, at least one: P threads that open regions then run at the speed of P threads. A thread of the
// runtime, the watch, looks every few milliseconds which threads have begun a region since, and which processors the affinity
// mask and the quota allow. Teams of kernel threads keep their size, but their members wait in another way if all teams together
// have more members than there are processors. For such teams the watch exists only while several threads open regions.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::openmp {

/// A thread of the program that begins regions.
class host {
 public:
  /// `released`: the word that released the host's last region (fork_join.hpp).
  explicit host(const std::atomic<std::uint64_t>& released);
  ~host();
  host(const host&) = delete;

  // Called only where teams may run on virtual processors. relaxed, both: only the fact of a change matters.
  void begin_region() { regions_.store(regions_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void end_region() { begin_region(); }

 private:
  friend class share_watch;
  std::atomic<std::uint32_t> regions_{0};  // begun and ended: in a region it is odd
  const std::atomic<std::uint64_t>& released_;  // relaxed: a number with which no other data goes
  // For the watch.
  std::uint32_t seen_ = 0;
  std::uint64_t released_seen_ = 0;
  unsigned quiet_looks_ = 0;
};

/// relaxed: a number with which no other data goes. Written by the watch alone.
extern constinit std::atomic<unsigned> processors_of_each_host;
/// The part of the processors that a thread has now. Thread-safe.
inline unsigned share_of_processors() { return processors_of_each_host.load(std::memory_order_relaxed); }

}  // namespace weir::openmp
