// The data in a team of the constructs that its members execute together: loops and doacross nests. The room worksharing has the
// operations.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include <weir/machine/native.hpp>

#include "openmp/teams/noted_wait.hpp"
#include "openmp/teams/posts.hpp"
#include "openmp/teams/shared_loop.hpp"

namespace weir::openmp {

/// For waits that are rare and short: yields between polls, and never sleeps.
template <class Word, class Ready>
void wait_awake(const Word& word, Ready ready) {
  if (!native::spin(word, ready, 100)) native::yield_until(word, ready);
}

/// How a member waits for a slot: a base of the kinds of slots.
struct waits_for_slot {
  template <class Word, class Ready>
  static void wait(const Word& word, Ready ready) {
    const noted_wait_awake wait(waits::slot);
    wait_awake(word, ready);
  }
};

struct loop : shared_loop<native> {
  std::atomic<void*> memory{nullptr};  // memory that the members have in common
};

/// One of the nested loops of a doacross construct, and how often it runs.
struct dimension {
  std::int64_t first, last, step;
  std::uint64_t trips;
};

/// A nest of loops whose iterations wait for each other.
struct doacross : slot<native> {
  std::vector<dimension> dimensions;
  posts<native> iterations;
};

}  // namespace weir::openmp
