// The command wavefront: sweeps of Gauss-Seidel over a grid, in one of two pipelines. In the first, each thread has its own
// columns and waits in the program's own code until its neighbour has the row: it reads a counter in a loop, and neither yields
// nor sleeps. In the second, a doacross loop, each thread has its own rows, and the runtime makes it wait for the row before.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"

namespace {

/// How many rows of this sweep a thread has done. In a cache line of its own.
struct alignas(128) progress {
  long rows = 0;
};

/// Values with a border that stays as it is.
class grid {
 public:
  grid(long rows, long columns) : width_(columns + 2), values_(static_cast<std::size_t>((rows + 2) * width_)) {
    unsigned long long state = 1;  // Knuth's MMIX generator: any values will do
    for (double& value : values_) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<double>(state >> 40) / 16777216;
    }
  }

  /// The columns from `first` to before `end` of a row, from left to right or back.
  void relax(long row, long first, long end, bool back) {
    double* const here = values_.data() + (row + 1) * width_ + 1;
    const double *above = here - width_, *below = here + width_;
    if (back)
      for (long c = end - 1; c >= first; c--) here[c] = ((above[c] + below[c]) + (here[c - 1] + here[c + 1])) / 4;
    else
      for (long c = first; c < end; c++) here[c] = ((above[c] + below[c]) + (here[c - 1] + here[c + 1])) / 4;
  }

  bool operator==(const grid& other) const {
    return std::memcmp(values_.data(), other.values_.data(), values_.size() * sizeof(double)) == 0;
  }

  double mean() const {
    double sum = 0;
    for (const double value : values_) sum += value;
    return sum / static_cast<double>(values_.size());
  }

 private:
  long width_;
  std::vector<double> values_;
};

/// Waits until the neighbour has counted this row. acquire: what the neighbour did before.
void await(const progress& neighbour, long row) {
  long done;
  do {
#pragma omp atomic read acquire
    done = neighbour.rows;
  } while (done < row);
}

/// Forth over the grid and back, in a pipeline: the first thread begins a sweep, and each waits for the one before it.
void sweep(grid& values, long rows, long columns, long pairs, std::vector<progress>& done) {
#pragma omp parallel
  {
    const long team = omp_get_num_threads(), me = omp_get_thread_num();
    const long first = columns * me / team, end = columns * (me + 1) / team;
    progress& own = done[static_cast<std::size_t>(me)];
    for (long s = 0; s < 2 * pairs; s++) {
      const bool back = s % 2 == 1;
      const long before = back ? me + 1 : me - 1;
      for (long r = 0; r < rows; r++) {
        if (before >= 0 && before < team) await(done[static_cast<std::size_t>(before)], r + 1);
        values.relax(back ? rows - 1 - r : r, first, end, back);
#pragma omp atomic write release
        own.rows = r + 1;
      }
      // The next sweep begins at the other end, with all counters at zero.
#pragma omp barrier
#pragma omp atomic write
      own.rows = 0;
#pragma omp barrier
    }
  }
}

/// The same with rows divided into blocks of columns: each block waits for the same block of the row before.
void sweep_doacross(grid& values, long rows, long columns, long pairs, long width) {
  const long blocks = (columns + width - 1) / width;
#pragma omp parallel
  for (long s = 0; s < 2 * pairs; s++) {
    const bool back = s % 2 == 1;
#pragma omp for ordered(2) schedule(static, 1)
    for (long r = 0; r < rows; r++)
      for (long b = 0; b < blocks; b++) {
        const long block = back ? blocks - 1 - b : b;
#pragma omp ordered depend(sink : r - 1, b)
        values.relax(back ? rows - 1 - r : r, block * width, std::min((block + 1) * width, columns), back);
#pragma omp ordered depend(source)
      }
  }
}

void sweep_serially(grid& values, long rows, long columns, long pairs) {
  for (long s = 0; s < 2 * pairs; s++)
    for (long r = 0; r < rows; r++) values.relax(s % 2 ? rows - 1 - r : r, 0, columns, s % 2 == 1);
}

}  // namespace

int main(int count, char** words) {
  long rows = 256, columns = 512, pairs = 200, width = 0;
  workloads::options("wavefront",
                     "wavefront: symmetric Gauss-Seidel over a grid, pipelined. Threads wait for their neighbours\n"
                     "in a loop of the program's own, and at 4 barriers for each pair of sweeps; or in doacross loops.")
      .whole("--rows", rows, 1, 16'384, "rows of the grid")
      .whole("--columns", columns, 1, 16'384, "columns, which the threads share")
      .whole("--pairs", pairs, 1, 1'000'000, "pairs of sweeps, forth and back")
      .whole("--doacross", width, 0, 16'384, "columns of a block in doacross loops over the rows; 0: loops of its own")
      .read(count, words);
  if (width > columns)
    workloads::refuse("wavefront",
                      "--doacross " + std::to_string(width) + " is larger than --columns " + std::to_string(columns));
  if (width > 0 && rows < omp_get_max_threads())
    workloads::refuse("wavefront", "--rows " + std::to_string(rows) + " are fewer than the " +
                                       std::to_string(omp_get_max_threads()) + " threads");
  if (width == 0 && columns < omp_get_max_threads())
    workloads::refuse("wavefront", "--columns " + std::to_string(columns) + " are fewer than the " +
                                       std::to_string(omp_get_max_threads()) + " threads");

  grid values(rows, columns);
  grid expected = values;
  std::vector<progress> done(static_cast<std::size_t>(omp_get_max_threads()));
  const workloads::stopwatch watch;
  if (width > 0)
    sweep_doacross(values, rows, columns, pairs, width);
  else
    sweep(values, rows, columns, pairs, done);
  const double wall = watch.wall(), processor = watch.processor();
  const workloads::stopwatch alone;
  sweep_serially(expected, rows, columns, pairs);
  const double serially = alone.processor();

  std::printf("%ld rows of %ld, %ld pairs of sweeps, mean %.17g\n", rows, columns, pairs, values.mean());
  std::fprintf(stderr, "wavefront: %d threads, %.4f s, %.4f s of processors, one thread %.4f s\n", omp_get_max_threads(),
               wall, processor, serially);
  if (values == expected) return 0;
  std::fprintf(stderr, "wavefront: wrong: the grid is not that of one thread\n");
  return 1;
}
