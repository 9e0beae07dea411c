// A step in time: the forces change the velocities, the velocities change the positions, and the positions give new forces.
// Velocities and energies belong to the middle between two positions. The elements lose exactly the work that the corner forces
// do on the nodes, so total energy is conserved apart from rounding (Caramana et al. 1998).
#include "blast.hpp"

#include <cmath>

#include "modes.hpp"

namespace hydro {

blast::blast(int elements_along_an_edge)
    : n_(elements_along_an_edge),
      elements_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_ * n_)),
      nodes_(static_cast<std::size_t>(n_ + 1) * static_cast<std::size_t>((n_ + 1) * (n_ + 1))),
      position_(nodes_),
      velocity_(nodes_),
      before_(nodes_),
      acceleration_(nodes_),
      node_mass_(nodes_),
      gradient_(modes::count * elements_),
      force_(modes::count * elements_),
      on_corners_(corners * elements_),
      mass_(elements_),
      volume_(elements_),
      density_(elements_),
      energy_(elements_),
      predicted_(elements_),
      pressure_(elements_),
      sound_(elements_),
      viscosity_(elements_),
      stress_(elements_),
      expansion_(elements_),
      length_(elements_),
      damping_(elements_),
      power_(elements_),
      shape_{vectors(elements_), vectors(elements_), vectors(elements_), vectors(elements_)},
      partial_(static_cast<std::size_t>((n_ + 1) * (n_ + 1))) {
  const double side = 1.0 / n_, of_one = side * side * side;
  for (int k = 0; k <= n_; k++)
    for (int j = 0; j <= n_; j++)
      for (int i = 0; i <= n_; i++) {
        const std::size_t at = node(i, j, k);
        position_.x[at] = i * side;
        position_.y[at] = j * side;
        position_.z[at] = k * side;
        const auto shares = [this](int c) { return c == 0 || c == n_ ? 1 : 2; };
        node_mass_[at] = of_one / corners * (shares(i) * shares(j) * shares(k));
      }
  for (double& m : mass_) m = of_one;
  energy_[0] = predicted_[0] = blast_energy / of_one;
  find_accelerations();
  total_energies();
}

/// The accelerations for the present positions and energies.
void blast::find_accelerations() {
  measure();
  thermodynamics();
  pressure_forces();
  hourglass_forces();
  spread_forces();
  accelerate();
}

void blast::step() {
  const double last = dt_;
  choose_time_step();
  const double seconds = (last + dt_) / 2;  // from the middle of the last step to the middle of this one
  kick(seconds);
  exchange_energy(seconds);
  total_energies();
  drift();
  predict_energy();
  find_accelerations();
  time_ += dt_;
}

/// No signal crosses more than a part of an element, none changes its volume by more than a part, and steps grow slowly.
void blast::choose_time_step() {
  constexpr double courant = 0.024, change = 0.02, growth = 1.05;
  const double *length = length_.data(), *sound = sound_.data(), *expansion = expansion_.data();
  const double crossing = least_of_elements([=](std::size_t e) {
    const double squeezing = expansion[e] < 0 ? 2 * length[e] * expansion[e] : 0;
    return length[e] / std::sqrt(sound[e] * sound[e] + squeezing * squeezing + 1e-30);
  });
  const double changing = least_of_elements([=](std::size_t e) { return 1 / (std::abs(expansion[e]) + 1e-30); });
  const double allowed = std::min(courant * crossing, change * changing);
  dt_ = dt_ == 0 ? allowed / 10 : std::min(allowed, growth * dt_);
}

void blast::kick(double seconds) {
  const auto along = [=, this](field& velocity, field& before, const field& acceleration) {
    const std::size_t row = static_cast<std::size_t>(n_ + 1);
    double *v = velocity.data(), *b = before.data();
    const double* a = acceleration.data();
    rows_of_nodes([=](std::size_t first) {
#pragma omp simd
      for (std::size_t i = first; i < first + row; i++) {
        b[i] = v[i];
        v[i] += seconds * a[i];
      }
    });
  };
  along(velocity_.x, before_.x, acceleration_.x);
  along(velocity_.y, before_.y, acceleration_.y);
  along(velocity_.z, before_.z, acceleration_.z);
}

void blast::drift() {
  const auto along = [this](field& position, const field& velocity) {
    const std::size_t row = static_cast<std::size_t>(n_ + 1);
    double* x = position.data();
    const double *v = velocity.data(), seconds = dt_;
    rows_of_nodes([=](std::size_t first) {
#pragma omp simd
      for (std::size_t i = first; i < first + row; i++) x[i] += seconds * v[i];
    });
  };
  along(position_.x, velocity_.x);
  along(position_.y, velocity_.y);
  along(position_.z, velocity_.z);
}

/// The power of the corner forces of each element, at the mean of two velocities.
void blast::sum_power(const vectors& a, const vectors& b) {
  const std::size_t n = static_cast<std::size_t>(n_), row = n + 1, plane = row * row, elements = elements_;
  double* power = power_.data();
  const auto along = [=, this](const field& force, const field& first, const field& second, bool begins) {
    const double *f = force.data(), *u = first.data(), *v = second.data();
    const double kept = begins ? 0 : 1;
    rows_of_elements([=](std::size_t e0, std::size_t n0) {
#pragma omp simd
      for (std::size_t i = 0; i < n; i++) {
        const eight sum = eight(u, n0 + i, row, plane) + eight(v, n0 + i, row, plane);
        power[e0 + i] = kept * power[e0 + i] + modes(sum).times(modes(f + e0 + i, elements)) / 2;
      }
    });
  };
  along(force_.x, a.x, b.x, true);
  along(force_.y, a.y, b.y, false);
  along(force_.z, a.z, b.z, false);
}

void blast::take_power(double seconds, field& energy) {
  const std::size_t n = static_cast<std::size_t>(n_);
  double* to = energy.data();
  const double *from = energy_.data(), *power = power_.data(), *mass = mass_.data();
  rows_of_elements([=](std::size_t e0, std::size_t) {
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++) to[e] = from[e] - seconds * power[e] / mass[e];
  });
}

void blast::exchange_energy(double seconds) {
  sum_power(before_, velocity_);
  take_power(seconds, energy_);
}

/// The energy at the end of the step by the forces at its beginning, which the new forces need.
void blast::predict_energy() {
  sum_power(velocity_, velocity_);
  take_power(dt_ / 2, predicted_);
}

/// The pressure of an ideal gas, its speed of sound, and the artificial viscosity where it is compressed (von Neumann and
/// Richtmyer's quadratic term, Landshoff's linear term).
void blast::thermodynamics() {
  const std::size_t n = static_cast<std::size_t>(n_);
  const double *density = density_.data(), *energy = predicted_.data(), *expansion = expansion_.data();
  const double* length = length_.data();
  double *pressure = pressure_.data(), *sound = sound_.data(), *viscosity = viscosity_.data(), *stress = stress_.data();
  rows_of_elements([=](std::size_t e0, std::size_t) {
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++)
      pressure[e] = (gas_constant - 1) * density[e] * std::max(energy[e], 0.0);
  });
  rows_of_elements([=](std::size_t e0, std::size_t) {
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++) sound[e] = std::sqrt(gas_constant * pressure[e] / density[e]);
  });
  rows_of_elements([=](std::size_t e0, std::size_t) {
    constexpr double linear = 0.3, square = 1.5;
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++) {
      const double across = length[e] * std::min(expansion[e], 0.0);
      viscosity[e] = density[e] * (square * across * across - linear * sound[e] * across);
    }
  });
  rows_of_elements([=](std::size_t e0, std::size_t) {
#pragma omp simd
    for (std::size_t e = e0; e < e0 + n; e++) stress[e] = pressure[e] + viscosity[e];
  });
}

void blast::accelerate() {
  gather(on_corners_.x, acceleration_.x);
  gather(on_corners_.y, acceleration_.y);
  gather(on_corners_.z, acceleration_.z);
  const auto divide = [this](field& along) {
    const std::size_t row = static_cast<std::size_t>(n_ + 1);
    double* a = along.data();
    const double* mass = node_mass_.data();
    rows_of_nodes([=](std::size_t first) {
#pragma omp simd
      for (std::size_t i = first; i < first + row; i++) a[i] /= mass[i];
    });
  };
  divide(acceleration_.x);
  divide(acceleration_.y);
  divide(acceleration_.z);
  hold_symmetry_planes();
}

/// Each node sums the forces of its elements, always in the same order.
void blast::gather(const field& force, field& acceleration) {
  const std::size_t n = static_cast<std::size_t>(n_), row = n + 1, elements = elements_;
  const double* from = force.data();
  double* to = acceleration.data();
  const int edge = n_;
  each((n_ + 1) * (n_ + 1), [=, this](int r) {
    const int j = r % (edge + 1), k = r / (edge + 1);
    double* sum = to + node(0, j, k);
    for (std::size_t i = 0; i < row; i++) sum[i] = 0;
    for (int c = 0; c < corners; c += 2) {
      const int ej = j - (c >> 1 & 1), ek = k - (c >> 2);
      if (ej < 0 || ek < 0 || ej == edge || ek == edge) continue;
      const double* low = from + static_cast<std::size_t>(c) * elements + element(0, ej, ek);
      const double* high = low + elements;
#pragma omp simd
      for (std::size_t i = 0; i < n; i++) sum[i] += low[i];
#pragma omp simd
      for (std::size_t i = 0; i < n; i++) sum[i + 1] += high[i];
    }
  });
}

/// Nothing crosses the planes x = 0, y = 0 and z = 0; the other sides are free.
void blast::hold_symmetry_planes() {
  const int edge = n_;
  each(edge + 1, [=, this](int k) {
    for (int j = 0; j <= edge; j++) acceleration_.x[node(0, j, k)] = 0;
  });
  each(edge + 1, [=, this](int k) {
    for (int i = 0; i <= edge; i++) acceleration_.y[node(i, 0, k)] = 0;
  });
  each(edge + 1, [=, this](int j) {
    for (int i = 0; i <= edge; i++) acceleration_.z[node(i, j, 0)] = 0;
  });
}

/// Sums by rows, and of the rows in their order: the same for any team.
void blast::total_energies() {
  const std::size_t row = static_cast<std::size_t>(n_ + 1), n = static_cast<std::size_t>(n_);
  const double *vx = velocity_.x.data(), *vy = velocity_.y.data(), *vz = velocity_.z.data();
  const double *node_mass = node_mass_.data(), *mass = mass_.data(), *energy = energy_.data();
  double* partial = partial_.data();
  const auto total = [&](std::size_t rows) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; r++) sum += partial[r];
    return sum;
  };
  rows_of_nodes([=](std::size_t first) {
    double sum = 0;
    for (std::size_t i = first; i < first + row; i++)
      sum += node_mass[i] / 2 * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
    partial[first / row] = sum;
  });
  kinetic_ = total(row * row);
  rows_of_elements([=](std::size_t e0, std::size_t) {
    double sum = 0;
    for (std::size_t e = e0; e < e0 + n; e++) sum += mass[e] * energy[e];
    partial[e0 / n] = sum;
  });
  internal_ = total(n * n);
  least_energy_ = least_of_elements([=](std::size_t e) { return energy[e]; });
}

}  // namespace hydro
