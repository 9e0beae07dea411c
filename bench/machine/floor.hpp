// The floor of this machine: costs that no barrier can avoid.
#pragma once

#include <cstdint>

namespace bench {

struct cost {
  double wall_ns;
  double cpu_ns;  // of the two threads together
};

/// The cost for one cache line to go from one processor to another, signal to signal: half of a
/// round trip between two threads bound to them, each spinning on a line of its own.
cost one_transfer(int from, int to, std::uint64_t rounds);

/// The cost of one context switch by the kernel: two threads on one processor, each yielding.
cost one_switch(int processor, std::uint64_t yields);

}  // namespace bench
