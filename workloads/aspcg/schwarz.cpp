#include "schwarz.hpp"

#include <algorithm>

namespace aspcg {

schwarz::schwarz(const mesh& of, const world& ranks)
    : mesh_(of), world_(ranks), boxes_(std::max({of.x.largest(), of.y.largest(), of.z.largest()})),
      of_a_plane_(static_cast<std::size_t>(of.x.largest()) * static_cast<std::size_t>(of.y.largest())) {
  of_a_block_ = of_a_plane_ * static_cast<std::size_t>(of.z.largest());
  solutions_.resize(of_a_block_ * static_cast<std::size_t>(of.own_blocks()));
  if (ranks.size() == 1) return;
  for (std::vector<double>* layer : {&to_below_, &to_above_, &from_below_, &from_above_})
    layer->resize(of_a_plane_ * static_cast<std::size_t>(of.z.overlap) * static_cast<std::size_t>(of.blocks_of_a_layer()));
}

schwarz::place schwarz::place_of(long own) const {
  const auto layer = static_cast<int>(own / mesh_.blocks_of_a_layer());
  const auto in_layer = static_cast<int>(own % mesh_.blocks_of_a_layer());
  return {in_layer % mesh_.x.blocks(), in_layer / mesh_.x.blocks(), mesh_.layers.begin + layer};
}

std::size_t schwarz::beside(const place& p) const {
  return static_cast<std::size_t>(p.y * mesh_.x.blocks() + p.x) * static_cast<std::size_t>(mesh_.z.overlap) * of_a_plane_;
}

std::size_t schwarz::here(const place& p) const {
  const long layers_below = p.z - mesh_.layers.begin;
  return static_cast<std::size_t>(layers_below * mesh_.blocks_of_a_layer() + p.y * mesh_.x.blocks() + p.x) * of_a_block_;
}

void schwarz::solve(const field& right, scratch& own, team& threads) {
#pragma omp for schedule(static) nowait
  for (long b = 0; b < mesh_.own_blocks(); b++) {
    const place p = place_of(b);
    const range x = mesh_.x.extended(p.x), y = mesh_.y.extended(p.y), z = mesh_.z.extended(p.z);
    double *values = solutions_.data() + here(p), *to = values;
    for (int k = z.begin; k < z.end; k++)
      for (int j = y.begin; j < y.end; j++, to += x.size()) std::copy_n(right.row(j, k) + x.begin, x.size(), to);
    boxes_.solve(values, own.data(), x.size(), y.size(), z.size());
    if (world_.size() > 1) hand_over(p);
  }
  threads.meet();
  if (world_.size() > 1 && mesh_.z.overlap > 0) {
#pragma omp master
    world_.exchange(to_below_, from_below_, to_above_, from_above_);
    threads.meet();
  }
}

/// The planes of a block that belong to the process below or above.
void schwarz::hand_over(const place& p) {
  const range own = mesh_.z.own(p.z), extended = mesh_.z.extended(p.z);
  const std::size_t plane = static_cast<std::size_t>(mesh_.x.extended(p.x).size() * mesh_.y.extended(p.y).size());
  const auto copy = [&](int begin, int end, std::vector<double>& to) {
    const double* from = solutions_.data() + here(p) + static_cast<std::size_t>(begin - extended.begin) * plane;
    std::copy_n(from, static_cast<std::size_t>(end - begin) * plane, to.data() + beside(p));
  };
  if (p.z == mesh_.layers.begin) copy(extended.begin, own.begin, to_below_);
  if (p.z == mesh_.layers.end - 1) copy(own.end, extended.end, to_above_);
}

const double* schwarz::plane_of(const place& p, int plane) const {
  const auto size = static_cast<std::size_t>(mesh_.x.extended(p.x).size() * mesh_.y.extended(p.y).size());
  const auto skip = [&](int first) { return static_cast<std::size_t>(plane - first) * size; };
  if (p.z < mesh_.layers.begin) return from_below_.data() + beside(p) + skip(mesh_.z.own(p.z).end);
  const int first = mesh_.z.extended(p.z).begin;
  if (p.z >= mesh_.layers.end) return from_above_.data() + beside(p) + skip(first);
  return solutions_.data() + here(p) + skip(first);
}

void schwarz::sum(field& into, int plane, int strip) const {
  const range rows = mesh_.y.own(strip);
  for (int j = rows.begin; j < rows.end; j++) std::fill_n(into.row(j, plane), mesh_.x.points, 0.0);
  const range layers = mesh_.z.near(plane / mesh_.z.block), lines = mesh_.y.near(strip);
  for (int bz = layers.begin; bz < layers.end; bz++) {
    const range z = mesh_.z.extended(bz);
    if (plane < z.begin || plane >= z.end) continue;
    for (int by = lines.begin; by < lines.end; by++) {
      const range y = mesh_.y.extended(by);
      const int first = std::max(rows.begin, y.begin), end = std::min(rows.end, y.end);
      for (int bx = 0; bx < mesh_.x.blocks(); bx++) {
        const range x = mesh_.x.extended(bx);
        const double* from = plane_of({bx, by, bz}, plane);
        for (int j = first; j < end; j++) {
          const double* line = from + static_cast<std::size_t>(j - y.begin) * static_cast<std::size_t>(x.size());
          double* to = into.row(j, plane) + x.begin;
#pragma omp simd
          for (int i = 0; i < x.size(); i++) to[i] += line[i];
        }
      }
    }
  }
}

}  // namespace aspcg
