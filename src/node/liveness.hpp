// The processes of a node, and which of them have ended or given a barrier up: a table in the memory that they share.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::node {

class liveness {
 public:
  struct alignas(line_bytes) entry {
    std::int64_t process, started;  // the start time in the kernel's ticks, because process numbers are reused
    std::atomic<std::uint64_t> numbered_in;  // the PID name space of the number; 0: the process has not entered yet
    std::atomic<int> gave_up;                // 1 + the index of the process because of which this one gave the barrier up
  };

  /// `entries`: one for each of `count` processes, zeros until each has entered. This process has the given index.
  liveness(entry* entries, unsigned count, unsigned index)
      : entries_(entries), count_(count), index_(index), next_checked_((index + 1) % count) {}
  void enter();

  /// The index of the process because of which another one has given the barrier up; -1: none has.
  int abandoned_because_of() const;
  /// A process that has ended; -1: none of those that this call checked. A process that was found is found again.
  int find_ended();
  /// Tells the others that this process will not arrive any more, because of the process of this index, or of itself.
  void give_up(int because_of) noexcept;
  void give_up() noexcept { give_up(static_cast<int>(index_)); }

 private:
  entry* const entries_;
  const unsigned count_, index_;
  unsigned next_checked_;
};

}  // namespace weir::node
