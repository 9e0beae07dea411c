// The exact solution in a box, by fast diagonalization (Lynch, Rice and Thomas 1964).
#pragma once

#include <cstddef>
#include <vector>

namespace aspcg {

/// Solves for the Laplacian with zeros around the box. The Laplacian is a sum of one matrix for each axis. In all boxes of the
/// same length these matrices have the same sines as eigenvectors: three products with small matrices transform to these, and
/// three transform back.
class box_solver {
 public:
  /// For boxes of 1 to `longest` points along each axis.
  explicit box_solver(int longest);

  /// Solves in place: `values` are ordered by z, then y, then x. `scratch` has the same size.
  void solve(double* values, double* scratch, int nx, int ny, int nz) const;

 private:
  struct line {
    std::vector<double> sines, eigenvalues;  // the sines are a symmetric matrix, which is its own inverse
  };

  void turn(const double* from, double* to, int rest, int length) const;
  const line& of(int length) const { return lines_[static_cast<std::size_t>(length)]; }

  std::vector<line> lines_;
};

}  // namespace aspcg
