// The processors of the machine on which virtual processors are to run, where the process has been granted some of those that it may use.
//
// Nobody is bound to them: what the process starts would inherit that, and the kernel could not do better for a while. Who finds itself
// elsewhere moves once. Hints, so relaxed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "machine/processor_set.hpp"

namespace weir::threads::preferred {

inline constexpr std::size_t most_words = processor_set::most / 64;
inline constinit std::atomic<std::uint64_t> words[most_words] = {};
inline constinit std::atomic<std::uint32_t> times_changed{0};  // 0: all are

inline std::uint32_t changes() { return times_changed.load(std::memory_order_relaxed); }
inline bool has(int processor) {
  if (changes() == 0 || processor < 0 || static_cast<std::size_t>(processor) >= 64 * most_words) return true;
  const auto p = static_cast<std::size_t>(processor);
  return ((words[p / 64].load(std::memory_order_relaxed) >> (p % 64)) & 1) != 0;
}
inline void keep(processor_set& of) {
  if (changes() == 0) return;
  for (std::size_t i = 0; i < most_words; ++i) of.words[i] &= words[i].load(std::memory_order_relaxed);
}

}  // namespace weir::threads::preferred
