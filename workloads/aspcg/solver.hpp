// Preconditioned conjugate gradients for the seven-point Laplacian.
#pragma once

#include <vector>

#include "field.hpp"
#include "mesh.hpp"
#include "schwarz.hpp"
#include "team.hpp"
#include "world.hpp"

namespace aspcg {

struct outcome {
  int iterations = 0;
  double residual = 0, right_side = 0;  // their Euclidean norms; the residual is the one that the iteration updates
};

/// The threads of a team execute one parallel region, and meet at barriers between its loops. Sums are made in the same order
/// for any number of threads and processes: of a strip, of a plane's strips, of all planes.
class solver {
 public:
  solver(const mesh& of, const world& ranks, bool preconditioned);

  /// From x = 0, until the residual is `tolerance` of the right side or `most` iterations have been made.
  outcome solve(field& x, const field& b, double tolerance, int most);

  /// |b - A x|, from x itself.
  double residual(field& x, const field& b);

  long barriers() const { return threads_.meetings(); }  // that each thread has passed

 private:
  template <class Body>
  double sum(Body of_strip, field* then_exchanged = nullptr, int planes = 1);
  template <class Body>
  void each_strip(range planes, Body body) const;
  void exchange(field& of, int planes) const;
  void apply(const field& to, field& into, int plane, int strip) const;
  template <class Field>
  auto* begin(Field& of, int plane, int strip) const;
  int length(int strip) const;

  const mesh& mesh_;
  const world& world_;
  bool preconditioned_;
  schwarz preconditioner_;
  field r_, z_, p_, q_;
  std::vector<double> of_strips_, of_planes_;
  std::vector<int> first_plane_;  // of each process, and where the last one's end
  double total_ = 0;
  team threads_;
};

}  // namespace aspcg
