// The checks of the result, which compute in another way than the steps.
#include <bit>
#include <cmath>
#include <cstdint>

#include "blast.hpp"
#include "modes.hpp"

namespace hydro {
namespace {

struct point {
  double x, y, z;
};

double determinant(const point& a, const point& b, const point& c) {
  return a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
}

// The faces' corners, anticlockwise from outside.
constexpr int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

}  // namespace

/// By tetrahedra with the origin: a face that is bilinear encloses the mean of what its two triangulations enclose.
double blast::volume_error() const {
  double worst = 0;
  for (int k = 0; k < n_; k++)
    for (int j = 0; j < n_; j++)
      for (int i = 0; i < n_; i++) {
        point at[corners];
        for (int c = 0; c < corners; c++) {
          const std::size_t corner = node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
          at[c] = {position_.x[corner], position_.y[corner], position_.z[corner]};
        }
        double twelve = 0;
        for (const auto& face : faces) {
          const point &a = at[face[0]], &b = at[face[1]], &c = at[face[2]], &d = at[face[3]];
          twelve += determinant(a, b, c) + determinant(a, c, d) + determinant(a, b, d) + determinant(b, c, d);
        }
        worst = std::max(worst, std::abs(twelve / 12 / volume_[element(i, j, k)] - 1));
      }
  return worst;
}

double blast::centre_x(int i, int j, int k) const {
  double sum = 0;
  for (int c = 0; c < corners; c++) sum += position_.x[node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))];
  return sum / corners;
}

unsigned long long blast::digest() const {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, by words
  for (const field* f : {&position_.x, &position_.y, &position_.z, &velocity_.x, &velocity_.y, &velocity_.z, &energy_})
    for (const double value : *f) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211u;
  return hash;
}

}  // namespace hydro
