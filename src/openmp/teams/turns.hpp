// The turns of an ordered loop: how far its iterations are done, and where members wait for that.
//
// In a small team all wait for one word. In a large one its line would go to all waiters at each turn, though one of them goes
// on. So there are as many words as members, each on a line of its own: a chunk waits for the word that its first iteration
// chooses, and whoever is done writes the word that the next iteration chooses. The first iterations of chunks of any size are
// spread evenly.
//
// The words of a large team are not reset for each loop. They count on from one loop to the next: what an earlier loop has left
// is smaller than anything that a chunk waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <weir/machine/machine.hpp>

#include "openmp/teams/scatter.hpp"

namespace weir::openmp {

/// In teams of at most `Few` members all wait for one word.
template <class Machine, unsigned Few = 8>
class turns {
 public:
  struct alignas(line_bytes) line {
    typename Machine::template word<std::uint64_t> done{0};
    typename Machine::gate passed;
  };

  /// Called by the first member to enter an ordered loop. relaxed, all stores: published by the slot.
  void begin(std::uint64_t trips, unsigned members) {
    make_lines(members);
    before_ = end_;
    if (lines_ == nullptr || __builtin_add_overflow(before_, trips, &end_)) {
      before_ = 0;
      end_ = trips;
      if (lines_ != nullptr)
        for (std::size_t i = 0; i < chosen_.places(); ++i) lines_[i].done.store(0, std::memory_order_relaxed);
    }
    of(0).done.store(before_, std::memory_order_relaxed);
  }

  /// Part of begin(), apart for the explorer, whose words are made before members run.
  void make_lines(unsigned members) {
    if (members <= Few || lines_ != nullptr) return;
    chosen_ = scatter(members);
    lines_ = std::make_unique<line[]>(chosen_.places());
  }

  /// Where the chunk waits that begins with this iteration.
  line& of(std::uint64_t iteration) {
    return lines_ == nullptr ? only_ : lines_[chosen_.place_of(iteration)];
  }
  /// What the word holds once all iterations before this one are done, or more.
  std::uint64_t done_before(std::uint64_t iteration) const { return before_ + iteration; }

 private:
  std::uint64_t before_ = 0, end_ = 0;  // of this loop: in a small team 0 and the number of its iterations
  scatter chosen_;
  std::unique_ptr<line[]> lines_;  // null: one for all
  line only_;
};

}  // namespace weir::openmp
