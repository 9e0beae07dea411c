// Gaussian elimination with partial pivoting, by columns: member m has the columns m, m + P, m + 2P, ... A barrier for each
// column.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "blas.hpp"
#include "random.hpp"

namespace gauss {

/// A x = b. The columns of A in order, then b.
struct system {
  explicit system(long equations)
      : size(equations),
        values(static_cast<std::size_t>(equations * (equations + 1))),
        pivots(static_cast<std::size_t>(equations)) {}

  double* column(long c) { return values.data() + c * size; }
  double* right() { return column(size); }

  long size;
  std::vector<double> values;
  std::vector<long> pivots;  // the row that was exchanged with row k in step k
};

/// The equations with this number. A is random, except for a diagonal that is shifted by half of the rows and is probably larger
/// than the norm of the rest. So A is well conditioned, and each step must exchange rows.
inline system equations(long size, std::uint64_t number) {
  system s(size);
  std::mt19937_64 random(number);
  for (double& value : s.values) value = workloads::draw_signed(random);
  for (long c = 0; c < size; c++) s.column(c)[(c + size / 2) % size] += 2 * std::sqrt(static_cast<double>(size));
  return s;
}

/// The pivot of column k and the multipliers below it.
inline void prepare(system& s, long k) {
  double* const column = s.column(k);
  const int rest = static_cast<int>(s.size - k);
  const long pivot = k + static_cast<long>(cblas_idamax(rest, column + k, 1));
  s.pivots[static_cast<std::size_t>(k)] = pivot;
  std::swap(column[k], column[pivot]);
  cblas_dscal(rest - 1, 1 / column[k], column + k + 1, 1);
}

/// Step k in column c.
inline void update(system& s, long k, long c) {
  double* const column = s.column(c);
  std::swap(column[k], column[s.pivots[static_cast<std::size_t>(k)]]);
  cblas_daxpy(static_cast<int>(s.size - k - 1), -column[k], s.column(k) + k + 1, 1, column + k + 1, 1);
}

/// All members call it. Afterwards, A is upper triangular.
template <class Member>
void eliminate(Member& me, system& s) {
  const long members = me.count();
  if (me.number() == 0) prepare(s, 0);
  for (long k = 0; k < s.size; k++) {
    me.barrier();  // column k is prepared
    // The member that has the next column begins with it.
    for (long c = k + 1 + (me.number() + members - (k + 1) % members) % members; c <= s.size; c += members) {
      update(s, k, c);
      if (c == k + 1 && c < s.size) prepare(s, c);
    }
  }
}

/// The solution of a system whose A is upper triangular.
inline std::vector<double> solution(system& s) {
  const int size = static_cast<int>(s.size);
  std::vector<double> x(s.right(), s.right() + size);
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, size, s.values.data(), size, x.data(), 1);
  return x;
}

}  // namespace gauss
