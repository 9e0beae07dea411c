// Memory and caches of the simulated machine: what an access costs, which others it delays, which copies it invalidates. Only
// lines are kept here; values are in the words themselves.
//
// Caches are unlimited: a copy is lost only to another processor's write. A line serves one request at a time, which produces
// contention and traffic [paper 002, section 2.3].
#pragma once

#include <cstdint>
#include <vector>

#include "model.hpp"

namespace weir::simulator {

using line_id = std::uint32_t;

/// What happened at one line.
struct line_counts {
  std::vector<std::uint64_t> misses;  // by distance
  std::uint64_t hits = 0;
  std::uint64_t invalidations = 0;
  std::uint64_t atomics = 0;
  std::uint64_t failed = 0;  // store-conditionals that found the line changed
  std::uint64_t reads = 0;   // misses of loads
  void add(const line_counts& other);
};

class memory {
 public:
  explicit memory(const machine_model& m);

  line_id line_at(const void* address);
  /// placement::allocator: the memory of these lines is beside this processor, which has written them first.
  void allocate(const void* begin, std::size_t bytes, unsigned processor);

  /// A load by `processor` that begins at `now`; returns when its value arrives.
  time load(line_id, unsigned processor, time now);
  /// Whether the line has been written since; then an early look would have read another value.
  bool written_since(line_id l, time at) const { return lines_[l].written > at; }
  /// A write, by a store or an atomic update; returns when it takes effect. All other copies are invalidated immediately: their
  /// owners' next look waits at the line.
  time write(line_id, unsigned processor, time now);
  /// A write by a processor that an earlier request brings the line at `comes`, and whose turn is before those who have asked
  /// since.
  time write_with_request(line_id, time comes);

  bool has_copy(line_id l, unsigned processor) const { return test(l, processor); }
  bool owns(line_id l, unsigned processor) const { return lines_[l].owner == static_cast<std::int32_t>(processor); }
  bool cached() const { return model_.cached == caching::coherent; }
  /// Whether the word's memory is local to this processor; then polling it disturbs no other.
  bool is_home(line_id l, unsigned processor) const { return lines_[l].home == static_cast<std::int32_t>(processor); }

  /// Does a write by this processor move the line?
  bool moves_to_write(line_id l, unsigned processor) const { return lines_[l].copies != 1 || !test(l, processor); }
  /// Of the longest chain of transfers that has led to the line's last write (moment, in thread.hpp).
  unsigned& depth(line_id l) { return lines_[l].depth; }

  /// Grows whenever a word of the line changes.
  std::uint32_t version(line_id l) const { return lines_[l].version; }
  void changed(line_id l) { ++lines_[l].version; }

  /// Threads that poll the line, to be resumed at its next write.
  std::vector<std::uint32_t>& watchers(line_id l) { return lines_[l].watchers; }

  void note_atomic(line_id l) { ++lines_[l].counts.atomics; }
  void note_failed(line_id l) { ++lines_[l].counts.failed; }
  std::size_t lines() const { return lines_.size(); }
  const line_counts& counts(line_id l) const { return lines_[l].counts; }
  line_counts all_counts() const;
  const std::vector<std::uint64_t>& misses_of(unsigned processor) const { return misses_of_[processor]; }
  std::uint64_t accesses() const { return accesses_; }
  void forget_counts();

 private:
  struct line {
    time busy_until = 0;
    time written = -1;       // when the last write took effect
    std::int32_t owner = -1;  // the processor that has the only copy and may write
    std::int32_t home = -1;
    bool home_is_sure = false;
    std::uint32_t version = 0;
    std::uint32_t copies = 0;
    unsigned depth = 0;
    std::vector<std::uint32_t> watchers;
    line_counts counts;
  };
  struct source {
    unsigned ring;
    time latency;
  };

  void assign_home(line_id, unsigned processor, bool is_load);
  source nearest_copy(line_id, unsigned processor) const;
  source farthest_copy(line_id, unsigned processor) const;
  source from_home(line_id, unsigned processor) const;
  time begin(line& l, unsigned processor, const source& s, time now);
  time at_module(line_id, unsigned processor, time now);
  void count_miss(line& l, unsigned processor, unsigned ring);

  std::uint64_t* copies(line_id l) { return copies_.data() + std::size_t{l} * stride_; }
  const std::uint64_t* copies(line_id l) const { return copies_.data() + std::size_t{l} * stride_; }
  bool test(line_id l, unsigned p) const { return (copies(l)[p / 64] >> (p % 64)) & 1u; }
  bool any_copy_among(line_id l, unsigned first, unsigned count, unsigned but) const;

  const machine_model& model_;
  const unsigned stride_;  // words of a line's set of copies
  unsigned line_shift_ = 6;
  std::vector<line> lines_;
  std::vector<std::uint64_t> copies_;             // for each line, which processors have a copy
  std::vector<std::vector<time>> buses_;          // for each distance, until when each group's is busy
  std::vector<time> modules_;                     // where nothing is cached, until when each memory is busy
  std::vector<std::vector<std::uint64_t>> misses_of_;
  std::uint64_t accesses_ = 0;

  // Addresses to lines: open addressing, a power of two.
  std::vector<std::uint64_t> keys_;
  std::vector<line_id> ids_;
  void grow();
};

}  // namespace weir::simulator
