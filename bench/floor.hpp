// What the machine allows: the costs that no barrier can go below.
#pragma once

#include <cstdint>

namespace bench {

/// Nanoseconds for one cache line to go from one processor to another, signal to signal: half of a
/// round trip between two threads bound to them, each spinning on a line of its own.
double one_transfer_ns(int from, int to, std::uint64_t rounds);

/// Nanoseconds for one context switch by the kernel: two threads on one processor, each yielding.
double one_switch_ns(int processor, std::uint64_t yields);

}  // namespace bench
