// How many processors each thread of the program may take for its regions.
//
// A team that is alone has all processors of the process. If several threads of the program are in regions at the same time, each
// gets a share of the processors, at least one: P threads that open regions then run at the speed of P threads. A thread of the
// runtime, the watch, looks every few milliseconds which threads have begun a region since, and which processors the affinity
// mask and the quota allow. Teams of kernel threads keep their size, but their members wait in another way if all teams together
// have more members than there are processors. For such teams the watch exists only while several threads open regions.
//
// With WEIR_SHARE=node the processors of the process are those that it is granted among the programs of the node (src/node). The
// watch tells the others what the process wants, and whether it computes. While it does not, it lends them its processors, and
// takes them back when a region begins.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::openmp {

/// No region is open, so other programs have the processors; or there is something to be said. Written by the watch.
/// relaxed: a thread that sees it late wakes the watch late. The watch looks now and then anyway.
extern constinit std::atomic<bool> watch_awaits_region;
void wake_watch();

/// A thread of the program that begins regions.
class primary_thread {
 public:
  /// `released`: the word that released this thread's last region (fork_join.hpp).
  explicit primary_thread(const std::atomic<std::uint64_t>& released);
  ~primary_thread();
  primary_thread(const primary_thread&) = delete;

  // Called only where teams may run on virtual processors.
  void begin_region() {
    count();
    if (watch_awaits_region.load(std::memory_order_relaxed)) [[unlikely]] wake_watch();
  }
  void end_region() { count(); }

 private:
  friend class share_watch;
  // relaxed, both: only the fact of a change matters.
  void count() { regions_.store(regions_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  std::atomic<std::uint32_t> regions_{0};  // begun and ended: in a region it is odd
  const std::atomic<std::uint64_t>& released_;  // relaxed: a number with which no other data goes
  // For the watch.
  std::uint32_t seen_ = 0;
  std::uint64_t released_seen_ = 0;
  unsigned quiet_looks_ = 0;
};

/// A number of processors, and whether others have their turn, so that teams on virtual processors wait where they meet. relaxed:
/// a word with which no other data goes. Written by the watch alone.
extern constinit std::atomic<unsigned> processors_of_each_host;
inline constexpr unsigned others_turn = 1u << 31;
inline unsigned share_word() { return processors_of_each_host.load(std::memory_order_relaxed); }
inline unsigned share_in(unsigned word) { return word & ~others_turn; }
/// The part of the processors that a thread has now. Thread-safe.
inline unsigned share_of_processors() { return share_in(share_word()); }
/// Waits in the kernel until it is the program's turn. Thread-safe.
void wait_for_turn();
inline void await_turn() {
  if ((share_word() & others_turn) != 0) [[unlikely]] wait_for_turn();
}

}  // namespace weir::openmp
