// What a program says of itself to the others of its node, as it lies in a file, and whether a file can be believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "node/grants.hpp"

namespace weir::node {

struct program {
  claim asks;                // `holds`: what the program has now
  bool is_busy = false;      // it computes; otherwise it lends what it would be granted
  std::int64_t process = 0;  // its number, in its own PID name space: to be shown, and to be trusted in nothing
  std::uint64_t joined = 0;  // when, in nanoseconds of the monotonic clock: programs are in this order
  std::uint64_t seen = 0;    // when it has looked last
  std::string name;
};

/// The order in which programs are listed.
inline bool comes_before(const program& a, const program& b) {
  return a.joined != b.joined ? a.joined < b.joined : a.process < b.process;
}

/// The contents of a program's file. Programs run on one machine, so numbers are as the machine has them.
struct entry {
  static constexpr std::uint32_t this_version = 2;

  char magic[8];
  std::uint32_t version, bytes;
  std::int64_t process;
  std::uint64_t joined, seen;
  std::uint32_t weight, wants, is_busy, unused;
  processor_set may_use, holds;
  char name[32];
  std::uint64_t check;  // of all bytes before it: a reader may come while it is written
};
static_assert(sizeof(entry) == 56 + 2 * sizeof(processor_set) + 40);

entry to_entry(const program&);
/// Is it an entry of any version, or a part of one?
bool begins_as_entry(std::span<const std::byte> bytes);
/// None if the bytes are no entry of this version, or say what no program says.
std::optional<program> from_bytes(std::span<const std::byte> bytes);

}  // namespace weir::node
