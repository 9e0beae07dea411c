// Numbers at the points of a process's planes.
#pragma once

#include <memory>

#include "mesh.hpp"

namespace aspcg {

/// A field has a border of zeros in x and y, and ghost planes: copies of the neighbours' planes, or zeros where there is no
/// neighbour.
class field {
 public:
  explicit field(const mesh& of)
      : width_(static_cast<std::size_t>(of.x.points) + 2), plane_(width_ * (static_cast<std::size_t>(of.y.points) + 2)),
        lowest_(of.planes.begin - of.ghosts()) {
    const int planes = of.planes.size() + 2 * of.ghosts();
    values_ = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(planes) * plane_);
    // The threads that will compute with the values write them first: memory is placed at the node that touches it first.
#pragma omp parallel for schedule(static)
    for (int k = 0; k < planes; k++) std::fill_n(values_.get() + static_cast<std::size_t>(k) * plane_, plane_, 0.0);
  }

  /// The point with x = 0 of a row. The rows of a plane, with their borders, lie one after the other.
  double* row(int y, int z) { return values_.get() + at(y, z); }
  const double* row(int y, int z) const { return values_.get() + at(y, z); }

  double* plane(int z) { return row(-1, z) - 1; }
  const double* plane(int z) const { return row(-1, z) - 1; }

  std::size_t width() const { return width_; }
  std::size_t plane_size() const { return plane_; }

 private:
  std::size_t at(int y, int z) const {
    return static_cast<std::size_t>(z - lowest_) * plane_ + static_cast<std::size_t>(y + 1) * width_ + 1;
  }

  std::size_t width_, plane_;
  int lowest_;
  std::unique_ptr<double[]> values_;
};

}  // namespace aspcg
