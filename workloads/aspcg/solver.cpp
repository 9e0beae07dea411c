#include "solver.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

namespace aspcg {

solver::solver(const mesh& of, const world& ranks, bool preconditioned)
    : mesh_(of), world_(ranks), preconditioned_(preconditioned), preconditioner_(of, ranks), r_(of), z_(of), p_(of), q_(of),
      of_strips_(static_cast<std::size_t>(of.strips())), of_planes_(static_cast<std::size_t>(of.z.points)) {
  mesh other = of;
  for (int rank = 0; rank < ranks.size(); rank++) {
    other.give(rank, ranks.size());
    first_plane_.push_back(other.planes.begin);
  }
  first_plane_.push_back(of.z.points);
}

/// The beginning and the length of a strip with the borders of its rows, which are zero, so that it is one vector for BLAS.
template <class Field>
auto* solver::begin(Field& of, int plane, int strip) const {
  return of.row(mesh_.y.own(strip).begin, plane) - 1;
}

int solver::length(int strip) const { return mesh_.y.own(strip).size() * static_cast<int>(r_.width()); }

/// A thread has the same strips in every loop over the same planes. It does not wait at a loop's end.
template <class Body>
void solver::each_strip(range planes, Body body) const {
  const long strips = mesh_.y.blocks(), total = planes.size() * strips;
#pragma omp for schedule(static) nowait
  for (long s = 0; s < total; s++) body(planes.begin + static_cast<int>(s / strips), static_cast<int>(s % strips));
}

/// A strip adds `of_strip(plane, strip)` to the sum. Before threads go on, processes exchange the planes of a field that their
/// neighbours need.
template <class Body>
double solver::sum(Body of_strip, field* then_exchanged, int planes) {
  const auto strips = static_cast<std::size_t>(mesh_.y.blocks());
  each_strip(mesh_.planes, [&](int plane, int strip) {
    const auto from_begin = static_cast<std::size_t>(plane - mesh_.planes.begin);
    of_strips_[from_begin * strips + static_cast<std::size_t>(strip)] = of_strip(plane, strip);
  });
  threads_.meet();
#pragma omp master
  {
    const double* of_strip_of = of_strips_.data();
    for (int plane = mesh_.planes.begin; plane < mesh_.planes.end; plane++) {
      double& of_plane = of_planes_[static_cast<std::size_t>(plane)] = 0;
      for (std::size_t s = 0; s < strips; s++) of_plane += *of_strip_of++;
    }
    world_.gather(of_planes_, first_plane_);
    total_ = 0;
    for (const double of_plane : of_planes_) total_ += of_plane;
    if (then_exchanged) exchange(*then_exchanged, planes);
  }
  threads_.meet();
  return total_;
}

/// Exchanges the outer `planes` of this process with the neighbours, for their ghost planes.
void solver::exchange(field& of, int planes) const {
  const std::size_t plane = of.plane_size(), in = static_cast<std::size_t>(planes) * plane;
  const std::size_t out = static_cast<std::size_t>(std::min(planes, mesh_.planes.size())) * plane;
  const int begin = mesh_.planes.begin, end = mesh_.planes.end;
  world_.exchange({of.plane(begin), out}, {of.plane(begin - planes), in}, {of.plane(end) - out, out}, {of.plane(end), in});
}

/// A strip of `into` = A `to`: six times the point, less its neighbours. Outside of the box all are zero.
void solver::apply(const field& to, field& into, int plane, int strip) const {
  const range rows = mesh_.y.own(strip);
  const auto width = static_cast<std::ptrdiff_t>(to.width()), size = static_cast<std::ptrdiff_t>(to.plane_size());
  for (int j = rows.begin; j < rows.end; j++) {
    const double* at = to.row(j, plane);
    double* out = into.row(j, plane);
#pragma omp simd
    for (int i = 0; i < mesh_.x.points; i++)
      out[i] = 6 * at[i] - (((at[i - 1] + at[i + 1]) + (at[i - width] + at[i + width])) + (at[i - size] + at[i + size]));
  }
}

outcome solver::solve(field& x, const field& b, double tolerance, int most) {
  outcome found;
  // The planes of p that A needs. The neighbours' planes among them are also computed here, from the ghost planes of r or z.
  const range with_ghosts{std::max(0, mesh_.planes.begin - 1), std::min(mesh_.z.points, mesh_.planes.end + 1)};
  field& z = preconditioned_ ? z_ : r_;
#pragma omp parallel
  {
    schwarz::scratch own = preconditioner_.scratch_of_a_thread();
    each_strip(mesh_.planes, [&](int plane, int strip) {
      std::copy_n(begin(b, plane, strip), length(strip), begin(r_, plane, strip));
      std::fill_n(begin(x, plane, strip), length(strip), 0.0);
    });
    each_strip(with_ghosts, [&](int plane, int strip) { std::fill_n(begin(p_, plane, strip), length(strip), 0.0); });
    const auto square_of_r = [&](int plane, int strip) {
      const double* r = begin(r_, plane, strip);
      return cblas_ddot(length(strip), r, 1, r, 1);
    };
    double rr = sum(square_of_r, &r_, mesh_.ghosts()), rz = 0;
    const double of_b = std::sqrt(rr);
    int k = 0;
    for (; k < most && std::sqrt(rr) > tolerance * of_b; k++) {
      const double rz_before = rz;
      if (preconditioned_) {
        preconditioner_.solve(r_, own, threads_);
        rz = sum(
            [&](int plane, int strip) {
              preconditioner_.sum(z_, plane, strip);
              return cblas_ddot(length(strip), begin(r_, plane, strip), 1, begin(z_, plane, strip), 1);
            },
            &z_);
      } else {
        rz = rr;
      }
      const double beta = k == 0 ? 0 : rz / rz_before;
      each_strip(with_ghosts, [&](int plane, int strip) {
        cblas_dscal(length(strip), beta, begin(p_, plane, strip), 1);
        cblas_daxpy(length(strip), 1, begin(z, plane, strip), 1, begin(p_, plane, strip), 1);
      });
      threads_.meet();
      const double pq = sum([&](int plane, int strip) {
        apply(p_, q_, plane, strip);
        return cblas_ddot(length(strip), begin(p_, plane, strip), 1, begin(q_, plane, strip), 1);
      });
      const double alpha = rz / pq;
      rr = sum(
          [&](int plane, int strip) {
            cblas_daxpy(length(strip), alpha, begin(p_, plane, strip), 1, begin(x, plane, strip), 1);
            cblas_daxpy(length(strip), -alpha, begin(q_, plane, strip), 1, begin(r_, plane, strip), 1);
            return square_of_r(plane, strip);
          },
          &r_, mesh_.ghosts());
    }
#pragma omp master
    found = {k, std::sqrt(rr), of_b};
  }
  return found;
}

double solver::residual(field& x, const field& b) {
  exchange(x, 1);
  double square = 0;
#pragma omp parallel
  {
    const double of_all = sum([&](int plane, int strip) {
      apply(x, q_, plane, strip);
      cblas_daxpy(length(strip), -1, begin(b, plane, strip), 1, begin(q_, plane, strip), 1);
      return cblas_ddot(length(strip), begin(q_, plane, strip), 1, begin(q_, plane, strip), 1);
    });
#pragma omp master
    square = of_all;
  }
  return std::sqrt(square);
}

}  // namespace aspcg
