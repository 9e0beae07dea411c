// The command cholesky: a matrix is factored by tiles, by tasks that depend on each other.
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "cholesky/factor.hpp"
#include "clocks.hpp"
#include "options.hpp"

int main(int count, char** words) {
  long size = 4096, tile = 64;
  workloads::options("cholesky", "cholesky: Cholesky's factors of a matrix, by tasks on its tiles that depend on each other.")
      .whole("--size", size, 1, 16'384, "rows of the matrix")
      .whole("--tile", tile, 1, 16'384, "rows of a tile")
      .read(count, words);
  if (tile > size)
    workloads::refuse("cholesky", "--tile " + std::to_string(tile) + " is larger than --size " + std::to_string(size));
  const long tiles = (size + tile - 1) / tile;
  if (tiles > 512)
    workloads::refuse("cholesky", "--tile " + std::to_string(tile) + " makes " + std::to_string(tiles) + " x " +
                                      std::to_string(tiles) + " tiles; at most 512 x 512 make sense");

  workloads::let_callers_compute();
  cholesky::matrix a = cholesky::positive_definite(size);
  const workloads::stopwatch watch;
  int refused = 0;
#pragma omp parallel
#pragma omp single
  refused = cholesky::factor(a, tile);
  const double wall = watch.wall(), processor = watch.processor();

  double logarithm = 0;
  for (long r = 0; r < size; r++) logarithm += 2 * std::log(*a.at(r, r));
  // One for each tile of the diagonal, for each one below it and for its part of the diagonal, and for each product.
  const long tasks = tiles + tiles * (tiles - 1) + tiles * (tiles - 1) * (tiles - 2) / 6;
  std::printf("%ld rows in tiles of %ld, logarithm of the determinant %.17g\n", size, tile, logarithm);
  std::fprintf(stderr, "cholesky: %d threads, %ld tasks, %.4f s, %.4f s of processors, %.2f us a task\n", omp_get_max_threads(),
               tasks, wall, processor, 1e6 * processor / static_cast<double>(tasks));
  if (refused == 0 && cholesky::is_factor(a, cholesky::positive_definite(size))) return 0;
  std::fprintf(stderr, "cholesky: wrong: not the factor that LAPACK's dpotrf finds\n");
  return 1;
}
