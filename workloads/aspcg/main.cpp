// The command aspcg: conjugate gradients with an additive Schwarz preconditioner for Laplace's equation in a box, by the
// threads of one process or of several.
#include <cblas.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "clocks.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "solver.hpp"

namespace {

struct settings {
  long cells = 64, height = 0, weak = 0, block = 8, overlap = 1, schwarz = 1, digits = 10, iterations = 10'000, spoil = 0;

  void read(int count, char** words) {
    workloads::options("aspcg",
                       "aspcg: conjugate gradients with an additive Schwarz preconditioner, for Laplace's equation in a box.\n"
                       "The result on stdout is the same for any number of threads and processes, except with --weak 1.")
        .whole("--cells", cells, 2, 1'024, "cells of the mesh along x and y, on a length of 1")
        .whole("--height", height, 0, 100'000, "cells along z, of the same size; 0: as many as --cells")
        .whole("--weak", weak, 0, 1, "1: --height is what each thread of each process adds")
        .whole("--block", block, 2, 64, "points along an edge of a block")
        .whole("--overlap", overlap, 0, 16, "points by which a block reaches into its neighbours")
        .whole("--schwarz", schwarz, 0, 1, "0: conjugate gradients without a preconditioner")
        .whole("--digits", digits, 1, 12, "by which the residual falls, in decimals")
        .whole("--iterations", iterations, 1, 1'000'000, "after which it gives up")
        .whole("--spoil", spoil, 0, 2, "to try the checks. 1: one wrong value; 2: another problem's solution")
        .read(count, words);
    if (height == 0) height = cells;
  }
};

std::string in_words(long count, const std::string& one, const std::string& several) {
  return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

std::string layers(long count) { return in_words(count, "layer", "layers"); }
std::string blocks(long count) { return in_words(count, "block", "blocks"); }
std::string processes(long count) { return in_words(count, "process", "processes"); }
std::string threads(long count) { return in_words(count, "thread", "threads"); }

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

long workers(const aspcg::world& world) {
  return static_cast<long>(world.sum(static_cast<std::uint64_t>(omp_get_max_threads())));
}

/// Throws if a process needs more memory than there is.
void require_memory(const settings& asked, const aspcg::mesh& mesh, const aspcg::world& world) {
  const double plane = (mesh.x.points + 2.0) * (mesh.y.points + 2.0), planes = mesh.planes.size() + 2.0 * mesh.ghosts();
  const double of_block = mesh.x.largest() * static_cast<double>(mesh.y.largest() * mesh.z.largest());
  const double bytes = 8 * (6 * plane * planes + (asked.schwarz ? of_block * static_cast<double>(mesh.own_blocks()) : 0));
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (world.largest(bytes > memory) > 0)
    refuse("a process needs " + std::to_string(static_cast<long>(std::ceil(world.largest(bytes) / 1e9))) +
           " GB, more than its machine has; make --cells or --height smaller");
}

/// Throws if the sizes make no sense; all processes then throw.
aspcg::mesh mesh_of(const settings& asked, const aspcg::world& world) {
  const long height = asked.weak ? asked.height * workers(world) : asked.height;
  if (height < 2 || height > 1'000'000)
    refuse("the mesh is " + std::to_string(height) + " cells high, and may be 2 to 1000000; change --height");
  const auto points = [&](long cells) { return static_cast<int>(cells - 1); };
  const int block = static_cast<int>(asked.block), overlap = static_cast<int>(asked.schwarz ? asked.overlap : 0);
  aspcg::mesh mesh;
  mesh.x = mesh.y = {points(asked.cells), block, overlap};
  mesh.z = {points(height), block, overlap};
  mesh.spacing = 1.0 / static_cast<double>(asked.cells);
  if (block > std::min(mesh.x.points, mesh.z.points))
    refuse("--block " + std::to_string(block) + " is more than the " + std::to_string(std::min(mesh.x.points, mesh.z.points)) +
           " points between the sides of the box");
  if (overlap > block)
    refuse("--overlap " + std::to_string(overlap) + " reaches through a neighbour: it may be up to --block " +
           std::to_string(block));
  if (mesh.z.blocks() < world.size())
    refuse("a height of " + std::to_string(height) + " cells has " + layers(mesh.z.blocks()) + " of blocks, fewer than the " +
           processes(world.size()));
  mesh.give(world.rank(), world.size());
  if (world.largest(mesh.own_blocks() < omp_get_max_threads()) > 0)
    refuse("a process has fewer blocks than threads: " + layers(mesh.z.blocks()) + " of " +
           blocks(mesh.blocks_of_a_layer()) + " for " + processes(world.size()) + " with " + threads(workers(world)) + " in all");
  require_memory(asked, mesh, world);
  return mesh;
}

class checks {
 public:
  explicit checks(bool speaks) : speaks_(speaks) {}

  void require(bool holds, const char* what) {
    if (!holds && speaks_) std::fprintf(stderr, "aspcg: wrong: %s\n", what);
    right_ = right_ && holds;
  }

  bool right() const { return right_; }

 private:
  bool speaks_, right_ = true;
};

/// Whether the result is right.
bool run(const settings& asked, const aspcg::world& world) {
  const aspcg::mesh mesh = mesh_of(asked, world);
  const aspcg::problem problem(mesh);
  aspcg::solver solver(mesh, world, asked.schwarz == 1);
  aspcg::field x(mesh), b(mesh);
  problem.set_right_side(b, asked.spoil == 2 ? 2 : 1);
  const double tolerance = std::pow(10.0, -static_cast<double>(asked.digits));

  world.barrier();
  const workloads::stopwatch watch;
  const aspcg::outcome found = solver.solve(x, b, tolerance, static_cast<int>(asked.iterations));
  const long barriers = solver.barriers();
  const double wall = world.largest(watch.wall()), processor = world.sum(watch.processor());

  const double allowed = tolerance * found.right_side;
  if (asked.spoil == 1 && world.rank() == 0) x.row(0, 0)[0] += 10 * allowed;
  const double residual = solver.residual(x, b), error = world.largest(problem.largest_error(x));
  // The remaining residual is an error, too, of up to an eighth of the residual in the units of the box.
  const double bound = problem.error_bound() + residual / 8 / (mesh.spacing * mesh.spacing);
  const std::uint64_t digest = world.sum(problem.digest(x));
  const bool speaks = world.rank() == 0;
  const long all_blocks = static_cast<long>(mesh.blocks_of_a_layer()) * mesh.z.blocks(), team = workers(world);
  if (speaks) {
    std::printf("%d x %d x %d unknowns", mesh.x.points, mesh.y.points, mesh.z.points);
    if (asked.schwarz) std::printf(", %ld blocks of up to %ld^3 that overlap by %ld", all_blocks, asked.block, asked.overlap);
    std::printf("\n%d iterations, residual %.2e of the right side's, computed anew %.2e\n", found.iterations,
                found.residual / found.right_side, residual / found.right_side);
    std::printf("largest error %.4e, %.4f h^2, at most %.4e\n", error, error / (mesh.spacing * mesh.spacing), bound);
    std::printf("digest %016llx\n", static_cast<unsigned long long>(digest));
    std::fprintf(stderr,
                 "aspcg: %s, %s, %.4f s, %.4f s of processors, %.2f us an iteration, %ld barriers of a process\n",
                 processes(world.size()).c_str(), threads(team).c_str(), wall, processor,
                 1e6 * wall / std::max(found.iterations, 1), barriers);
  }
  checks done(speaks);
  done.require(found.residual <= allowed, "the iteration has not converged");
  done.require(std::abs(residual - found.residual) <= allowed, "the residual is not what the iteration says");
  done.require(error <= bound, "the solution is further from Laplace's than the mesh explains");
  return done.right();
}

}  // namespace

int main(int count, char** words) {
  settings asked;
  asked.read(count, words);
  openblas_set_num_threads(1);  // a call is computed by the thread that makes it
  aspcg::world world(count, words);
  try {
    return run(asked, world) ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    if (world.rank() == 0) std::fprintf(stderr, "aspcg: %s\n", error.what());
    return 2;
  }
}
