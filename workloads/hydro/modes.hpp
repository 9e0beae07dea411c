// The corner values of an element, as values and as modes. Loops over elements keep both in registers.
#pragma once

#include <cstddef>

// Compilers vectorise a loop only if everything in it is inlined, and by themselves they do not find that worthwhile.
#define HYDRO_INLINE [[gnu::always_inline]]

namespace hydro {

inline constexpr int corners = 8;  // numbered by the bits of their offsets: x 1, y 2, z 4

/// The corner values of the element whose first node is `first`, from a field of the nodes.
struct eight {
  double at[corners];

  HYDRO_INLINE eight(const double* of, std::size_t first, std::size_t row, std::size_t plane)
      : at{of[first],         of[first + 1],         of[first + row],         of[first + row + 1],
           of[first + plane], of[first + plane + 1], of[first + plane + row], of[first + plane + row + 1]} {}

  HYDRO_INLINE eight(double a, double b, double c, double d, double e, double f, double g, double h)
      : at{a, b, c, d, e, f, g, h} {}

  HYDRO_INLINE eight operator+(const eight& other) const {
    return {at[0] + other.at[0], at[1] + other.at[1], at[2] + other.at[2], at[3] + other.at[3],
            at[4] + other.at[4], at[5] + other.at[5], at[6] + other.at[6], at[7] + other.at[7]};
  }
};

/// Corner values in terms of the element's own coordinates, which are -1 and 1 at its corners: the sums of the values
/// times the coordinates, and times the coordinates' products. The constant is left out. The last four are the
/// hourglass modes: with them an element changes its shape, and not its volume.
struct modes {
  enum : int { x, y, z, yz, xz, xy, xyz, count };

  double of[count];

  HYDRO_INLINE modes(const double (&values)[count])
      : of{values[0], values[1], values[2], values[3], values[4], values[5], values[6]} {}

  HYDRO_INLINE modes(const double* from, std::size_t stride)
      : of{from[0],          from[stride],     from[2 * stride], from[3 * stride],
           from[4 * stride], from[5 * stride], from[6 * stride]} {}

  HYDRO_INLINE explicit modes(const eight& v) {
    const double sum[4] = {v.at[1] + v.at[0], v.at[3] + v.at[2], v.at[5] + v.at[4], v.at[7] + v.at[6]};
    const double difference[4] = {v.at[1] - v.at[0], v.at[3] - v.at[2], v.at[5] - v.at[4], v.at[7] - v.at[6]};
    of[x] = (difference[0] + difference[1]) + (difference[2] + difference[3]);
    of[y] = (sum[1] - sum[0]) + (sum[3] - sum[2]);
    of[z] = (sum[2] + sum[3]) - (sum[0] + sum[1]);
    of[yz] = (sum[3] - sum[2]) - (sum[1] - sum[0]);
    of[xz] = (difference[2] + difference[3]) - (difference[0] + difference[1]);
    of[xy] = (difference[1] - difference[0]) + (difference[3] - difference[2]);
    of[xyz] = (difference[3] - difference[2]) - (difference[1] - difference[0]);
  }

  HYDRO_INLINE void put(double* to, std::size_t stride) const {
    to[0] = of[0];
    to[stride] = of[1];
    to[2 * stride] = of[2];
    to[3 * stride] = of[3];
    to[4 * stride] = of[4];
    to[5 * stride] = of[5];
    to[6 * stride] = of[6];
  }

  /// The value at a corner, with the modes as coefficients.
  HYDRO_INLINE double at(int corner) const {
    const double i = corner & 1 ? 1 : -1, j = corner & 2 ? 1 : -1, k = corner & 4 ? 1 : -1;
    return i * ((of[x] + j * of[xy]) + k * (of[xz] + j * of[xyz])) + (j * (of[y] + k * of[yz]) + k * of[z]);
  }

  HYDRO_INLINE double times(const modes& other) const {
    const double* const by = other.of;
    return (of[x] * by[x] + of[y] * by[y] + of[z] * by[z]) +
           (of[yz] * by[yz] + of[xz] * by[xz] + of[xy] * by[xy] + of[xyz] * by[xyz]);
  }
};

}  // namespace hydro
