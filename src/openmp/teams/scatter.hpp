// Which of several places a number chooses. Numbers at any distance from each other spread evenly by multiplication by the golden
// ratio [Knuth, The Art of Computer Programming, volume 3, section 6.4].
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace weir::openmp {

/// Over the number of places rounded up to a power of two, at least 2.
class scatter {
 public:
  scatter() = default;
  explicit scatter(unsigned places) : shift_(64 - static_cast<unsigned>(std::bit_width(places - 1))) {}
  std::size_t places() const { return std::size_t{1} << (64 - shift_); }
  std::size_t place_of(std::uint64_t number) const {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    return number * golden >> shift_;
  }

 private:
  unsigned shift_ = 63;
};

}  // namespace weir::openmp
