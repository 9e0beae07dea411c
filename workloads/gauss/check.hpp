// LAPACK's answer.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "gauss/elimination.hpp"

namespace gauss {

/// Is `x`, apart from rounding, the solution of these equations that dgesv finds?
inline bool is_solution(const std::vector<double>& x, system equations) {
  const int size = static_cast<int>(equations.size), one = 1;
  std::vector<int> pivots(static_cast<std::size_t>(size));
  int info = 0;
  dgesv_(&size, &one, equations.values.data(), &size, pivots.data(), equations.right(), &size, &info);
  if (info != 0) return false;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); i++) largest = std::max(largest, std::abs(equations.right()[i]));
  // Both are exact to some 1e-13: the condition of A is about 4.
  for (std::size_t i = 0; i < x.size(); i++)
    if (!(std::abs(x[i] - equations.right()[i]) <= 1e-10 * largest)) return false;  // nor what is no number
  return true;
}

}  // namespace gauss
