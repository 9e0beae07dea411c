// Cholesky's factors by tiles: a task for each operation on a tile, ordered by the tiles that it reads and changes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "blas.hpp"
#include "random.hpp"

namespace cholesky {

/// Column by column; of a symmetric matrix the lower triangle is read.
struct matrix {
  long size;
  std::vector<double> values;

  double* at(long row, long column) { return values.data() + column * size + row; }
};

/// Random, with a diagonal that makes it positive definite and well conditioned.
inline matrix positive_definite(long size) {
  matrix a{size, std::vector<double>(static_cast<std::size_t>(size * size))};
  std::mt19937_64 random(static_cast<std::uint64_t>(size));
  for (long c = 0; c < size; c++) {
    *a.at(c, c) = static_cast<double>(size);
    for (long r = c + 1; r < size; r++) *a.at(r, c) = workloads::draw_signed(random);
  }
  return a;
}

/// A = L L^T, with L in place of A's lower triangle. Returns the first row at which A is not positive definite, or 0. One thread
/// of a team calls this function, and the team executes the tasks.
inline int factor(matrix& a, long tile) {
  const int stride = static_cast<int>(a.size);
  const auto rows = [&](long first) { return static_cast<int>(std::min(tile, a.size - first)); };
  int refused = 0;  // by operations on the diagonal, each of which depends on the one before
  for (long k = 0; k < a.size; k += tile) {
    double* const kk = a.at(k, k);
    const int width = rows(k);
#pragma omp task depend(inout : kk[0]) shared(refused)
    {
      int info = 0;
      dpotrf_("L", &width, kk, &stride, &info);
      if (info != 0 && refused == 0) refused = static_cast<int>(k) + info;
    }
    for (long i = k + tile; i < a.size; i += tile) {
      double* const ik = a.at(i, k);
      const int height = rows(i);
#pragma omp task depend(in : kk[0]) depend(inout : ik[0])
      cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, height, width, 1, kk, stride, ik, stride);
    }
    for (long i = k + tile; i < a.size; i += tile) {
      double *const ik = a.at(i, k), *const ii = a.at(i, i);
      const int height = rows(i);
#pragma omp task depend(in : ik[0]) depend(inout : ii[0])
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, height, width, -1, ik, stride, 1, ii, stride);
      for (long j = k + tile; j < i; j += tile) {
        double *const jk = a.at(j, k), *const ij = a.at(i, j);
        const int across = rows(j);
#pragma omp task depend(in : ik[0], jk[0]) depend(inout : ij[0])
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, height, across, width, -1, ik, stride, jk, stride, 1, ij, stride);
      }
    }
  }
#pragma omp taskwait
  return refused;
}

/// Is `found`, apart from rounding, the factor L that LAPACK's dpotrf finds for A?
inline bool is_factor(const matrix& found, matrix a) {
  const int size = static_cast<int>(a.size);
  int info = 0;
  dpotrf_("L", &size, a.values.data(), &size, &info);
  if (info != 0) return false;
  // The diagonal of A is `size`, so the square root of that is the scale of L; both factors are exact to some 1e-15 of it.
  const double most = 1e-12 * std::sqrt(static_cast<double>(size));
  for (std::size_t c = 0; c < static_cast<std::size_t>(size); c++)
    for (std::size_t r = c; r < static_cast<std::size_t>(size); r++) {
      const std::size_t at = c * static_cast<std::size_t>(size) + r;
      if (!(std::abs(found.values[at] - a.values[at]) <= most)) return false;  // nor what is no number
    }
  return true;
}

}  // namespace cholesky
