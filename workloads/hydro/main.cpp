// The command hydro: a blast in a cube, its checks, and how long it took.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "blast.hpp"
#include "clocks.hpp"
#include "options.hpp"

namespace {

// Relative to the energy of the blast, to the largest energy of an element, and to the volume.
constexpr double drift_allowed = 1e-11, asymmetry_allowed = 1e-8, volume_error_allowed = 1e-9;

/// The largest difference between elements that the symmetry of the problem makes equal.
double asymmetry(const hydro::blast& b) {
  double worst = 0, largest = 0;
  for (int k = 0; k < b.edge(); k++)
    for (int j = 0; j < b.edge(); j++)
      for (int i = 0; i < b.edge(); i++) {
        const double here = b.energy(i, j, k);
        largest = std::max(largest, here);
        worst = std::max({worst, std::abs(here - b.energy(j, i, k)), std::abs(here - b.energy(k, j, i)),
                          std::abs(here - b.energy(i, k, j))});
      }
  return worst / largest;
}

/// Along an axis, of the densest element's centre.
double shock(const hydro::blast& b) {
  int densest = 0;
  for (int i = 1; i < b.edge(); i++)
    if (b.density(i, 0, 0) > b.density(densest, 0, 0)) densest = i;
  return b.centre_x(densest, 0, 0);
}

bool check(bool holds, const char* what) {
  if (!holds) std::fprintf(stderr, "hydro: wrong: %s\n", what);
  return holds;
}

}  // namespace

int main(int count, char** words) {
  long elements = 12, steps = 962;
  workloads::options("hydro",
                     "hydro: a blast in a cube of gas, on a grid that moves with it (Sedov's problem).\n"
                     "51 parallel regions a step. The result on stdout is the same for any number of threads.")
      .whole("--elements", elements, 3, 96, "elements along an edge")
      .whole("--steps", steps, 1, 1'000'000, "steps in time")
      .read(count, words);

  hydro::blast blast(static_cast<int>(elements));
  const double begun_with = blast.total_energy();
  double drift = 0;
  bool real = true;
  const workloads::stopwatch watch;
  for (long s = 0; s < steps && real; s++) {
    blast.step();
    drift = std::max(drift, std::abs(blast.total_energy() / begun_with - 1));
    real = std::isfinite(blast.total_energy());
  }
  const double wall = watch.wall(), processor = watch.processor();

  const double unequal = asymmetry(blast), found = shock(blast), expected = std::pow(blast.time(), 0.4);
  std::printf("%ld^3 elements, %ld steps, %ld regions, to time %.6f\n", elements, steps, blast.regions(), blast.time());
  std::printf("energy at the origin %.17g, in motion %.6f of all\n", blast.energy(0, 0, 0),
              blast.kinetic_energy() / blast.total_energy());
  std::printf("energy drifts by %.1e, symmetric to %.1e\n", drift, unequal);
  std::printf("the shock is at %.3f, Sedov's at %.3f\n", found, expected);
  std::printf("digest %016llx\n", blast.digest());
  std::fprintf(stderr, "hydro: %d threads, %.4f s, %.4f s of processors, %.2f us a region\n", omp_get_max_threads(), wall,
               processor, 1e6 * wall / static_cast<double>(blast.regions()));

  const double cell = 1.0 / static_cast<double>(elements);
  bool right = check(real, "the solution is no number any more");
  right = check(drift <= drift_allowed, "energy is not conserved") && right;
  right = check(unequal <= asymmetry_allowed, "x, y and z differ") && right;
  right = check(blast.volume_error() <= volume_error_allowed, "a volume is not what its faces enclose") && right;
  right = check(blast.least_energy() > -1e-12, "an element's energy is negative") && right;
  // Before it has formed, and where it has left the cube, it cannot be compared.
  if (expected > 4 * cell && expected < 0.9)
    right = check(std::abs(found - expected) < 0.75 * cell, "the shock is not where Sedov's is") && right;
  return right ? 0 : 1;
}
