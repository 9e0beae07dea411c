// An ideal gas on a grid of hexahedra that moves with it. Positions and velocities belong to the nodes, mass and energy
// to the elements. A corner force is the force of an element on one of its nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace hydro {

inline constexpr double gas_constant = 1.4;  // ratio of the specific heats

/// An eighth of the whole blast, whose energy puts the shock at distance 1 at time 1 (Sedov, gamma = 1.4).
inline constexpr double blast_energy = 0.851 / 8;

using field = std::vector<double>;

struct vectors {
  explicit vectors(std::size_t size) : x(size), y(size), z(size) {}
  field x, y, z;
};

/// The unit cube, cold gas of density 1, and the blast's energy in the element at the origin.
class blast {
 public:
  explicit blast(int elements_along_an_edge);

  void step();

  int edge() const { return n_; }
  long regions() const { return regions_; }
  double time() const { return time_; }
  double least_energy() const { return least_energy_; }

  double total_energy() const { return kinetic_ + internal_; }
  double kinetic_energy() const { return kinetic_; }
  double energy(int i, int j, int k) const { return energy_[element(i, j, k)]; }
  double density(int i, int j, int k) const { return density_[element(i, j, k)]; }
  double centre_x(int i, int j, int k) const;

  /// The largest relative difference between the volume of an element and what its faces enclose.
  double volume_error() const;

  /// All bits of positions, velocities and energies: the same for the same result.
  unsigned long long digest() const;

 private:
  std::size_t node(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n_ + 1) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(n_ + 1) +
           static_cast<std::size_t>(i);
  }
  std::size_t element(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(n_) +
           static_cast<std::size_t>(i);
  }

  // Each is one parallel region: `body` for each number below `count`.
  template <class Body>
  void each(int count, Body body);
  template <class Body>
  double least(int count, Body body);
  // Regions by rows along x: body(first node), body(first element, its first node), body(element).
  template <class Body>
  void rows_of_nodes(Body body);
  template <class Body>
  void rows_of_elements(Body body);
  template <class Body>
  double least_of_elements(Body body);

  // The parts of a step, in this order.
  void choose_time_step();
  void kick(double seconds);
  void exchange_energy(double seconds);
  void sum_power(const vectors& a, const vectors& b);
  void take_power(double seconds, field& energy);
  void drift();
  void predict_energy();
  void find_accelerations();
  void measure();
  void thermodynamics();
  void pressure_forces();
  void hourglass_forces();
  void hourglass_forces_along(const field& velocity, field& force);
  void spread_forces();
  void accelerate();
  void gather(const field& force, field& acceleration);
  void hold_symmetry_planes();
  void total_energies();

  int n_;
  std::size_t elements_, nodes_;
  long regions_ = 0;
  double time_ = 0, dt_ = 0, least_energy_ = 0, kinetic_ = 0, internal_ = 0;

  vectors position_, velocity_, before_, acceleration_;  // before_: the velocities before the last kick
  field node_mass_;
  // Modes: the gradient of an element's volume by its corners' positions, and its forces. Then these on the corners.
  vectors gradient_, force_, on_corners_;
  field mass_, volume_, density_, energy_, predicted_, pressure_, sound_, viscosity_, stress_;
  field expansion_, length_, damping_, power_;  // expansion_: the divergence of the velocity; length_: across the element
  std::array<vectors, 4> shape_;  // how much of the hourglass modes an element has, by its volume
  field partial_;                 // sums of a row
};

template <class Body>
void blast::each(int count, Body body) {
  regions_++;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < count; i++) body(i);
}

/// A minimum does not depend on the order, unlike a sum.
template <class Body>
double blast::least(int count, Body body) {
  regions_++;
  double found = 1e300;
#pragma omp parallel for schedule(static) reduction(min : found)
  for (int i = 0; i < count; i++) found = std::min(found, body(i));
  return found;
}

template <class Body>
void blast::rows_of_nodes(Body body) {
  each((n_ + 1) * (n_ + 1), [=, this](int row) { body(static_cast<std::size_t>(row * (n_ + 1))); });
}

template <class Body>
void blast::rows_of_elements(Body body) {
  each(n_ * n_, [=, this](int row) { body(static_cast<std::size_t>(row * n_), node(0, row % n_, row / n_)); });
}

template <class Body>
double blast::least_of_elements(Body body) {
  return least(n_ * n_, [=, this](int row) {
    double found = 1e300;
    for (int i = 0; i < n_; i++) found = std::min(found, body(static_cast<std::size_t>(row * n_ + i)));
    return found;
  });
}

}  // namespace hydro
