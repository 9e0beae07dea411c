// The command hosts: threads of the program, each of which opens one parallel region after another, like programs that call a
// parallel BLAS from several threads. A region multiplies small blocks of matrices.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "work.hpp"

namespace {

constexpr int edge = 16;  // of a block: three of them take 6 KB

struct alignas(64) block {
  double at[edge][edge];
};

/// Whole numbers, so that all sums are exact.
block numbers(int seed) {
  block made{};
  for (int i = 0; i < edge; i++)
    for (int j = 0; j < edge; j++) made.at[i][j] = (i * seed + j * (seed + 3)) % 7 - 3;
  return made;
}

/// c += a b
void multiply(const block& a, const block& b, block& c) {
  for (int i = 0; i < edge; i++)
    for (int k = 0; k < edge; k++) {
      const double x = a.at[i][k];
      for (int j = 0; j < edge; j++) c.at[i][j] += x * b.at[k][j];
    }
}

/// A thread of the program, with its own matrices: `blocks` products in each region.
class program_thread {
 public:
  program_thread(int number, long blocks)
      : a_(numbers(number + 1)), b_(numbers(number + 2)), sums_(static_cast<std::size_t>(blocks)) {}

  void work(long regions, int threads) {
    for (long r = 0; r < regions; r++) {
#pragma omp parallel for schedule(static) num_threads(threads)
      for (std::size_t i = 0; i < sums_.size(); i++) multiply(a_, b_, sums_[i]);
    }
  }

  bool right(long regions) const {
    block once{};
    multiply(a_, b_, once);
    return std::all_of(sums_.begin(), sums_.end(), [&](const block& sum) {
      for (int i = 0; i < edge; i++)
        for (int j = 0; j < edge; j++)
          if (sum.at[i][j] != static_cast<double>(regions) * once.at[i][j]) return false;
      return true;
    });
  }

 private:
  block a_, b_;
  std::vector<block> sums_;
};

double block_us() {
  const block a = numbers(1), b = numbers(2);
  block c{};
  volatile double kept = 0;
  return workloads::microseconds_of_one(
      [&](long n) {
        for (long i = 0; i < n; i++) multiply(a, b, c);
        kept = c.at[0][0];
      },
      1'000);
}

}  // namespace

int main(int count, char** words) {
  long hosts = 2, threads = 2, work_us = 200, blocks = 0, regions = 1'000, waves = 1;
  workloads::options("hosts", "hosts: threads of the program, each of which opens parallel regions of several threads.")
      .whole("--hosts", hosts, 1, 256, "threads of the program")
      .whole("--threads", threads, 1, 1'024, "threads of each region")
      .whole("--work", work_us, 1, 100'000, "microseconds of computing in a region, by all of its threads together")
      .whole("--blocks", blocks, 0, 1'000'000, "products of blocks in a region, instead of --work's; 0: by --work")
      .whole("--regions", regions, 1, 10'000'000, "that each thread opens")
      .whole("--waves", waves, 1, 100'000, "of such threads, each after the end of the one before it")
      .read(count, words);

  const double one_us = block_us();
  if (blocks == 0) blocks = std::max(1L, static_cast<long>(static_cast<double>(work_us) / one_us));
  std::vector<program_thread> program_threads;
  for (int h = 0; h < hosts; h++) program_threads.emplace_back(h, blocks);

  const workloads::stopwatch watch;
  for (long w = 0; w < waves; w++) {
    std::vector<std::thread> running;
    for (program_thread& h : program_threads) running.emplace_back([&] { h.work(regions, static_cast<int>(threads)); });
    for (std::thread& t : running) t.join();
  }
  const double wall = watch.wall(), processor = watch.processor();

  const double computed = 1e-6 * one_us * static_cast<double>(blocks * regions * hosts * waves);
  std::printf("%ld hosts with %ld threads, %ld regions each\n", hosts, threads, regions);
  std::fprintf(stderr,
               "hosts: %ld x %ld, %ld blocks of %.2f us, %.2f us a region, %.4f s, %.4f s of processors, %.3f of them "
               "computed\n",
               hosts, threads, blocks, one_us, 1e6 * wall / static_cast<double>(regions * hosts * waves), wall, processor,
               computed / processor);
  for (const program_thread& h : program_threads)
    if (!h.right(regions * waves)) {
      std::fprintf(stderr, "hosts: wrong: a product is not what it should be\n");
      return 1;
    }
  return 0;
}
