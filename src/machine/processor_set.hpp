// A set of processors by their numbers, of a size that programs of different builds agree on. It takes no memory from the heap.
// The kernel has masks of the same form.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace weir {

struct processor_set {
  static constexpr unsigned most = 4096;
  static constexpr unsigned none = ~0u;

  std::array<std::uint64_t, most / 64> words{};

  static processor_set first(unsigned count) {
    processor_set s;
    for (unsigned p = 0; p < count; ++p) s.add(p);
    return s;
  }

  /// None if one of them is beyond the most.
  static std::optional<processor_set> of(std::span<const int> numbers) {
    processor_set s;
    for (const int p : numbers) {
      if (p < 0 || static_cast<unsigned>(p) >= most) return std::nullopt;
      s.add(static_cast<unsigned>(p));
    }
    return s;
  }

  bool has(unsigned p) const { return p < most && ((words[p / 64] >> (p % 64)) & 1) != 0; }
  /// Processors beyond the most are left out.
  void add(unsigned p) {
    if (p < most) words[p / 64] |= std::uint64_t{1} << (p % 64);
  }
  void remove(unsigned p) {
    if (p < most) words[p / 64] &= ~(std::uint64_t{1} << (p % 64));
  }

  unsigned count() const {
    int n = 0;
    for (const auto w : words) n += std::popcount(w);
    return static_cast<unsigned>(n);
  }
  bool empty() const { return lowest() == none; }
  unsigned lowest() const {
    for (unsigned i = 0; i < words.size(); ++i)
      if (words[i] != 0) return 64 * i + static_cast<unsigned>(std::countr_zero(words[i]));
    return none;
  }
  template <class Each>
  void for_each(Each each) const {
    for (unsigned i = 0; i < words.size(); ++i)
      for (std::uint64_t w = words[i]; w != 0; w &= w - 1) each(64 * i + static_cast<unsigned>(std::countr_zero(w)));
  }

  processor_set& operator&=(const processor_set& with) {
    for (unsigned i = 0; i < words.size(); ++i) words[i] &= with.words[i];
    return *this;
  }
  processor_set& operator|=(const processor_set& with) {
    for (unsigned i = 0; i < words.size(); ++i) words[i] |= with.words[i];
    return *this;
  }
  processor_set& operator-=(const processor_set& without) {
    for (unsigned i = 0; i < words.size(); ++i) words[i] &= ~without.words[i];
    return *this;
  }
  friend processor_set operator&(processor_set a, const processor_set& b) { return a &= b; }
  friend processor_set operator|(processor_set a, const processor_set& b) { return a |= b; }
  friend processor_set operator-(processor_set a, const processor_set& b) { return a -= b; }
  bool operator==(const processor_set&) const = default;
};

}  // namespace weir
