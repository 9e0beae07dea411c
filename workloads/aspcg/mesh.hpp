// The mesh of a box, its blocks, and the part of it that a process has.
#pragma once

#include <algorithm>
#include <cstddef>

namespace aspcg {

struct range {
  int begin = 0, end = 0;

  int size() const { return end - begin; }
};

/// The unknowns along x, y or z, cut into blocks, of which the last may be smaller. The points on the sides of the box are not
/// unknowns.
struct axis {
  int points = 0, block = 1, overlap = 0;

  int blocks() const { return (points + block - 1) / block; }
  range own(int number) const { return {number * block, std::min(points, (number + 1) * block)}; }

  /// The block with its overlap into the neighbours.
  range extended(int number) const {
    const range inner = own(number);
    return {std::max(0, inner.begin - overlap), std::min(points, inner.end + overlap)};
  }

  /// The blocks whose extension may contain points of this block: the block itself and its direct neighbours.
  range near(int number) const { return {std::max(0, number - (overlap > 0)), std::min(blocks(), number + 1 + (overlap > 0))}; }

  int largest() const { return std::min(points, block + 2 * overlap); }
};

/// Each process gets a slab of whole layers of blocks, from below along z.
struct mesh {
  axis x, y, z;
  double spacing = 0;
  range layers, planes;  // this process's

  void give(int rank, int processes) {
    const auto from = [&](int r) { return static_cast<int>(static_cast<long>(z.blocks()) * r / processes); };
    layers = {from(rank), from(rank + 1)};
    planes = {z.own(layers.begin).begin, z.own(layers.end - 1).end};
  }

  int ghosts() const { return std::max(1, z.overlap); }  // planes of a neighbour that a process has copies of
  int blocks_of_a_layer() const { return x.blocks() * y.blocks(); }
  long own_blocks() const { return static_cast<long>(layers.size()) * blocks_of_a_layer(); }

  /// The number of strips. A strip, the unit of all work except that in blocks, is the rows of a block in one plane, through all
  /// blocks along x.
  long strips() const { return static_cast<long>(planes.size()) * y.blocks(); }
};

}  // namespace aspcg
