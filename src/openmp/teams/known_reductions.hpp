// What a crew has learned about the reductions of its teams: which of them combine few values.
//
// As long as there are few values, members that combine them one after the other, by atomic operations or under a lock, are
// faster than a tree; for an array the tree is faster. The compiler's code does not say how many values there are, so the first
// executions of a construct go along the tree, and member 0 measures them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::openmp {

/// A construct is identified by the address of the function that combines the values of two members.
///
/// Not atomic: member 0 writes in a reduction, after all members have offered their values and before it releases any of them. So
/// no other member reads at that time, and all members read the same before the next reduction. A crew's teams take turns, and
/// have the same member 0.
class known_reductions {
 public:
  enum class values : std::uint8_t { unknown, few, many };

  values of(const void* construct) const {
    for (std::size_t i = first(construct), probes = 0; probes < entries_.size(); i = after(i), ++probes) {
      if (entries_[i].construct == construct) return entries_[i].how_many;
      if (entries_[i].construct == nullptr) return values::unknown;
    }
    return values::many;  // there is no room to learn it
  }

  /// Combining took this many nanoseconds this time. The least of several times counts, because a thread may lose its processor.
  void learn(const void* construct, double took) {
    std::size_t i = first(construct);
    while (entries_[i].construct != nullptr && entries_[i].construct != construct) i = after(i);
    entry& known = entries_[i];
    known.construct = construct;
    if (took <= few_take)
      known.how_many = values::few;
    else if (++known.executions == tried)
      known.how_many = values::many;
  }

 private:
  // Measured (docs/openmp/runtime.md): a value, or several on a line, take 5 to 15 ns.
  static constexpr double few_take = 60;
  static constexpr std::uint8_t tried = 4;
  struct entry {
    const void* construct = nullptr;
    values how_many = values::unknown;
    std::uint8_t executions = 0;
  };
  static constexpr std::size_t size = 32;
  static std::size_t first(const void* construct) { return reinterpret_cast<std::uintptr_t>(construct) / 16 % size; }
  static std::size_t after(std::size_t i) { return (i + 1) % size; }
  std::array<entry, size> entries_{};
};

}  // namespace weir::openmp
