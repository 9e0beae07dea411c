#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace aspcg {

problem::problem(const mesh& of) : mesh_(of) {
  const double h = of.spacing;
  for (int i = 0; i <= of.x.points + 1; i++) along_x_.push_back(std::exp(5 * (i * h - 1)));
  for (int j = 0; j <= of.y.points + 1; j++) along_y_.push_back(std::cos(3 * j * h - 1));
  for (int k = 0; k <= of.z.points + 1; k++) along_z_.push_back(std::cos(4 * k * h - 1));
  of_growth_ = 2 * std::cosh(5 * h) - 2;
  excess_ = of_growth_ + (2 * std::cos(3 * h) - 2) + (2 * std::cos(4 * h) - 2);
}

void problem::set_right_side(field& b, double factor) const {
  const int last_x = mesh_.x.points - 1, last_y = mesh_.y.points - 1, last_z = mesh_.z.points - 1;
#pragma omp parallel for schedule(static)
  for (int k = mesh_.planes.begin; k < mesh_.planes.end; k++)
    for (int j = 0; j <= last_y; j++) {
      double* const row = b.row(j, k);
      const auto add_row = [&](int beside_j, int beside_k) {
        for (int i = 0; i <= last_x; i++) row[i] += factor * solution(i, beside_j, beside_k);
      };
      row[0] += factor * solution(-1, j, k);
      row[last_x] += factor * solution(last_x + 1, j, k);
      if (j == 0) add_row(-1, k);
      if (j == last_y) add_row(last_y + 1, k);
      if (k == 0) add_row(j, -1);
      if (k == last_z) add_row(j, last_z + 1);
    }
}

double problem::largest_error(const field& x) const {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (int k = mesh_.planes.begin; k < mesh_.planes.end; k++)
    for (int j = 0; j < mesh_.y.points; j++)
      for (int i = 0; i < mesh_.x.points; i++) largest = std::max(largest, std::abs(x.row(j, k)[i] - solution(i, j, k)));
  return largest;
}

double problem::error_bound() const {
  double largest = 0;
  const double h = mesh_.spacing, at_0 = along_x_.front();
  for (int i = 0; i <= mesh_.x.points; i++)
    largest = std::max(largest, at_0 + (1 - at_0) * (i + 1) * h - along_x_[at(i)]);
  return excess_ / of_growth_ * largest;
}

std::uint64_t problem::digest(const field& x) const {
  std::uint64_t sum = 0;
  for (int k = mesh_.planes.begin; k < mesh_.planes.end; k++)
    for (int j = 0; j < mesh_.y.points; j++)
      for (int i = 0; i < mesh_.x.points; i++) {
        const auto of = [](int number) { return static_cast<std::uint64_t>(number); };
        const std::uint64_t place = (of(k) << 40) + (of(j) << 20) + of(i);
        // Each number times an odd one of its place, and its high bits folded onto the low ones.
        const std::uint64_t mixed = std::bit_cast<std::uint64_t>(x.row(j, k)[i]) * (2 * place * 0x9e3779b97f4a7c15 + 1);
        sum += mixed ^ mixed >> 32;
      }
  return sum;
}

}  // namespace aspcg
