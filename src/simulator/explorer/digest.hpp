// A 128-bit digest of a state. Among n states the probability of a collision is about n^2 / 2^129: 10^-23 for ten million.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weir::explorer {

struct digest {
  std::uint64_t high = 0, low = 0;
  friend bool operator==(const digest&, const digest&) = default;
  friend auto operator<=>(const digest&, const digest&) = default;
};

class digester {
 public:
  void add(std::uint64_t value) {
    a_ = (a_ ^ value) * 0xd6e8feb86659fd93u;
    a_ ^= a_ >> 32;
    b_ = (b_ + std::rotl(value, 29)) * 0xa0761d6478bd642fu;
    b_ ^= b_ >> 29;
  }
  void add(const void* bytes, std::size_t count) {
    const auto* from = static_cast<const char*>(bytes);
    for (; count >= 8; count -= 8, from += 8) {
      std::uint64_t value;
      std::memcpy(&value, from, 8);
      add(value);
    }
    std::uint64_t rest = count;
    std::memcpy(&rest, from, count);
    add(rest);
  }
  digest result() const { return {mixed(a_ + std::rotl(b_, 17)), mixed(b_ ^ (a_ * 0x9e3779b97f4a7c15u))}; }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t a_ = 0x2545f4914f6cdd1du, b_ = 0x9e6c63d0876a9a47u;
};

}  // namespace weir::explorer
