#include "box.hpp"

#include <cblas.h>

#include <cmath>
#include <numbers>

namespace aspcg {

box_solver::box_solver(int longest) : lines_(static_cast<std::size_t>(longest) + 1) {
  for (int n = 1; n <= longest; n++) {
    line& l = lines_[static_cast<std::size_t>(n)];
    const double angle = std::numbers::pi / (n + 1), scale = std::sqrt(2.0 / (n + 1));
    for (int i = 1; i <= n; i++) {
      l.eigenvalues.push_back(2 - 2 * std::cos(i * angle));
      for (int j = 1; j <= n; j++) l.sines.push_back(scale * std::sin(i * j * angle));
    }
  }
}

/// Transforms along the fastest axis, which becomes the slowest: after three turns each axis is where it was.
void box_solver::turn(const double* from, double* to, int rest, int length) const {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, length, rest, length, 1, of(length).sines.data(), length, from, length,
              0, to, rest);
}

void box_solver::solve(double* values, double* scratch, int nx, int ny, int nz) const {
  turn(values, scratch, nz * ny, nx);
  turn(scratch, values, nx * nz, ny);
  turn(values, scratch, ny * nx, nz);
  const double *along_x = of(nx).eigenvalues.data(), *along_y = of(ny).eigenvalues.data();
  double* row = scratch;
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++, row += nx) {
      const double others = of(nz).eigenvalues[static_cast<std::size_t>(k)] + along_y[j];
#pragma omp simd
      for (int i = 0; i < nx; i++) row[i] /= others + along_x[i];
    }
  turn(scratch, values, nz * ny, nx);
  turn(values, scratch, nx * nz, ny);
  turn(scratch, values, ny * nx, nz);
}

}  // namespace aspcg
