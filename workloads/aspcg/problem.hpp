// The problem: a harmonic function in a box, whose values on the sides are given.
#pragma once

#include <cstdint>
#include <vector>

#include "field.hpp"
#include "mesh.hpp"

namespace aspcg {

/// u = e^(5(x - 1)) cos(3y - 1) cos(4z - 1), which satisfies Laplace's equation, since 5^2 = 3^2 + 4^2.
class problem {
 public:
  explicit problem(const mesh& of);

  double solution(int i, int j, int k) const { return along_x_[at(i)] * along_y_[at(j)] * along_z_[at(k)]; }

  /// The sum of the given values beside each point, times `factor`.
  void set_right_side(field& b, double factor) const;

  double largest_error(const field& x) const;  // at this process's points

  /// No exact solution of the difference equations is further from u: their error at u is `excess_` |u|, and the bound solves
  /// them for the right side excess_ e^(5(x - 1)), with values on the sides that are nowhere negative.
  double error_bound() const;

  /// A sum over the bits of a field's values and their places. Added over all processes it is the digest of the whole field.
  std::uint64_t digest(const field& x) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i + 1); }  // -1: on the side of the box

  const mesh& mesh_;
  std::vector<double> along_x_, along_y_, along_z_;
  double excess_, of_growth_;  // what the differences make of u, and of e^(5x)
};

}  // namespace aspcg
