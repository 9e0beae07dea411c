// The shape of the elements, and the forces between them and their nodes.
#include <cmath>

#include "blast.hpp"
#include "modes.hpp"

namespace hydro {
namespace {

/// A component of the gradient of the volume, by the other two coordinates. With r the positions' modes the volume of a
/// trilinear hexahedron is det(x y z) + (det(x xy xz) + det(xy y yz) + det(xz yz z)) / 3, times 8.
HYDRO_INLINE inline modes volume_gradient(const modes& v, const modes& w) {
  constexpr double third = 1.0 / 3, scale = 1.0 / 64;  // modes are 8 times the coefficients, and a product has two
  const auto cross = [&](int a, int b) __attribute__((always_inline)) { return v.of[a] * w.of[b] - w.of[a] * v.of[b]; };
  return {{scale * (cross(modes::y, modes::z) + third * cross(modes::xy, modes::xz)),
           scale * (cross(modes::z, modes::x) + third * cross(modes::yz, modes::xy)),
           scale * (cross(modes::x, modes::y) + third * cross(modes::xz, modes::yz)),
           scale * third * (cross(modes::xy, modes::y) + cross(modes::z, modes::xz)),
           scale * third * (cross(modes::x, modes::xy) + cross(modes::yz, modes::z)),
           scale * third * (cross(modes::xz, modes::x) + cross(modes::y, modes::yz)), 0}};
}

}  // namespace

/// Gradients, volumes, densities, rates of expansion, and lengths across the elements.
void blast::measure() {
  const std::size_t n = static_cast<std::size_t>(n_), row = n + 1, plane = row * row, elements = elements_;
  const double *px = position_.x.data(), *py = position_.y.data(), *pz = position_.z.data();
  const double *vx = velocity_.x.data(), *vy = velocity_.y.data(), *vz = velocity_.z.data();
  double *gx = gradient_.x.data(), *gy = gradient_.y.data(), *gz = gradient_.z.data();
  double *volume = volume_.data(), *density = density_.data(), *expansion = expansion_.data();
  double* length = length_.data();
  const double* mass = mass_.data();

  rows_of_elements([=](std::size_t e0, std::size_t n0) {
#pragma omp simd
    for (std::size_t i = 0; i < n; i++) {
      const modes x(eight(px, n0 + i, row, plane)), y(eight(py, n0 + i, row, plane)), z(eight(pz, n0 + i, row, plane));
      volume_gradient(y, z).put(gx + e0 + i, elements);
      volume_gradient(z, x).put(gy + e0 + i, elements);
      volume_gradient(x, y).put(gz + e0 + i, elements);
    }
  });

  // The corners' values times the gradients, summed: three times the volume, or its rate.
  const auto times_gradient = [=](const double* ax, const double* ay, const double* az, std::size_t e,
                                  std::size_t at) __attribute__((always_inline)) {
    return modes(eight(ax, at, row, plane)).times(modes(gx + e, elements)) +
           modes(eight(ay, at, row, plane)).times(modes(gy + e, elements)) +
           modes(eight(az, at, row, plane)).times(modes(gz + e, elements));
  };
  rows_of_elements([=](std::size_t e0, std::size_t n0) {
#pragma omp simd
    for (std::size_t i = 0; i < n; i++) volume[e0 + i] = times_gradient(px, py, pz, e0 + i, n0 + i) / 3;
  });
  rows_of_elements([=](std::size_t e0, std::size_t) {
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++) density[e] = mass[e] / volume[e];
  });
  rows_of_elements([=](std::size_t e0, std::size_t n0) {
#pragma omp simd
    for (std::size_t i = 0; i < n; i++)
      expansion[e0 + i] = times_gradient(vx, vy, vz, e0 + i, n0 + i) / volume[e0 + i];
  });
  // The gradients of a face's corners sum to its area: the length is the volume over the largest.
  rows_of_elements([=](std::size_t e0, std::size_t) {
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++) {
      const auto area = [=](std::size_t m) {
        const double x = gx[m * elements + e], y = gy[m * elements + e], z = gz[m * elements + e];
        return x * x + y * y + z * z;
      };
      length[e] = volume[e] / (4 * std::sqrt(std::max(area(modes::x), std::max(area(modes::y), area(modes::z)))));
    }
  });
}

void blast::pressure_forces() {
  const std::size_t n = static_cast<std::size_t>(n_), elements = elements_;
  const double* stress = stress_.data();
  const auto along = [=, this](field& force, const field& gradient) {
    double* to = force.data();
    const double* from = gradient.data();
    rows_of_elements([=](std::size_t e0, std::size_t) {
      for (std::size_t m = 0; m < modes::count; m++)
#pragma omp simd
        for (std::size_t e = e0; e < e0 + n; e++) to[m * elements + e] = stress[e] * from[m * elements + e];
    });
  };
  along(force_.x, gradient_.x);
  along(force_.y, gradient_.y);
  along(force_.z, gradient_.z);
}

/// Viscous damping of the modes that change no element's volume (Flanagan and Belytschko 1981, section 4). The component of a
/// mode's shape along the gradients is subtracted, so that linear velocity fields are not damped.
void blast::hourglass_forces() {
  const std::size_t n = static_cast<std::size_t>(n_), row = n + 1, plane = row * row;
  const double *volume = volume_.data(), *density = density_.data(), *sound = sound_.data(), *length = length_.data();
  double* damping = damping_.data();
  rows_of_elements([=](std::size_t e0, std::size_t) {
    constexpr double strength = 0.03;
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++) damping[e] = strength * density[e] * sound[e] * volume[e] / length[e];
  });
  const double *px = position_.x.data(), *py = position_.y.data(), *pz = position_.z.data();
  const auto shapes = [=, this]<int Mode>(vectors& into) {
    double *x = into.x.data(), *y = into.y.data(), *z = into.z.data();
    rows_of_elements([=](std::size_t e0, std::size_t n0) {
#pragma omp simd
      for (std::size_t i = 0; i < n; i++) {
        const double by = 1 / volume[e0 + i];
        x[e0 + i] = by * modes(eight(px, n0 + i, row, plane)).of[Mode];
        y[e0 + i] = by * modes(eight(py, n0 + i, row, plane)).of[Mode];
        z[e0 + i] = by * modes(eight(pz, n0 + i, row, plane)).of[Mode];
      }
    });
  };
  shapes.operator()<modes::yz>(shape_[0]);
  shapes.operator()<modes::xz>(shape_[1]);
  shapes.operator()<modes::xy>(shape_[2]);
  shapes.operator()<modes::xyz>(shape_[3]);
  hourglass_forces_along(velocity_.x, force_.x);
  hourglass_forces_along(velocity_.y, force_.y);
  hourglass_forces_along(velocity_.z, force_.z);
}

void blast::hourglass_forces_along(const field& velocity, field& force) {
  const std::size_t n = static_cast<std::size_t>(n_), row = n + 1, plane = row * row, elements = elements_;
  const double *v = velocity.data(), *damping = damping_.data();
  const double *gx = gradient_.x.data(), *gy = gradient_.y.data(), *gz = gradient_.z.data();
  const double *x0 = shape_[0].x.data(), *y0 = shape_[0].y.data(), *z0 = shape_[0].z.data();
  const double *x1 = shape_[1].x.data(), *y1 = shape_[1].y.data(), *z1 = shape_[1].z.data();
  const double *x2 = shape_[2].x.data(), *y2 = shape_[2].y.data(), *z2 = shape_[2].z.data();
  const double *x3 = shape_[3].x.data(), *y3 = shape_[3].y.data(), *z3 = shape_[3].z.data();
  double* out = force.data();
  rows_of_elements([=](std::size_t e0, std::size_t n0) {
#pragma omp simd
    for (std::size_t i = 0; i < n; i++) {
      const std::size_t e = e0 + i;
      const modes u(eight(v, n0 + i, row, plane)), x(gx + e, elements), y(gy + e, elements), z(gz + e, elements);
      const double sx = u.times(x), sy = u.times(y), sz = u.times(z);
      const double q0 = damping[e] * (u.of[modes::yz] - x0[e] * sx - y0[e] * sy - z0[e] * sz);
      const double q1 = damping[e] * (u.of[modes::xz] - x1[e] * sx - y1[e] * sy - z1[e] * sz);
      const double q2 = damping[e] * (u.of[modes::xy] - x2[e] * sx - y2[e] * sy - z2[e] * sz);
      const double q3 = damping[e] * (u.of[modes::xyz] - x3[e] * sx - y3[e] * sy - z3[e] * sz);
      const double rx = x0[e] * q0 + x1[e] * q1 + x2[e] * q2 + x3[e] * q3;
      const double ry = y0[e] * q0 + y1[e] * q1 + y2[e] * q2 + y3[e] * q3;
      const double rz = z0[e] * q0 + z1[e] * q1 + z2[e] * q2 + z3[e] * q3;
      const auto resist = [&](int m, double q)
                              __attribute__((always_inline)) { return q - (x.of[m] * rx + y.of[m] * ry + z.of[m] * rz); };
      out[e] -= resist(modes::x, 0);
      out[elements + e] -= resist(modes::y, 0);
      out[2 * elements + e] -= resist(modes::z, 0);
      out[3 * elements + e] -= resist(modes::yz, q0);
      out[4 * elements + e] -= resist(modes::xz, q1);
      out[5 * elements + e] -= resist(modes::xy, q2);
      out[6 * elements + e] -= resist(modes::xyz, q3);
    }
  });
}

/// The forces on each corner, from the modes of an element's forces.
void blast::spread_forces() {
  const std::size_t n = static_cast<std::size_t>(n_), elements = elements_;
  const auto along = [=, this](const field& force, field& on_corners) {
    const double* from = force.data();
    double* to = on_corners.data();
    rows_of_elements([=](std::size_t e0, std::size_t) {
#pragma omp simd
      for (std::size_t e = e0; e < e0 + n; e++) {
        const modes force_of(from + e, elements);
#pragma GCC unroll 8
        for (int c = 0; c < corners; c++) to[static_cast<std::size_t>(c) * elements + e] = force_of.at(c);
      }
    });
  };
  along(force_.x, on_corners_.x);
  along(force_.y, on_corners_.y);
  along(force_.z, on_corners_.z);
}

}  // namespace hydro
