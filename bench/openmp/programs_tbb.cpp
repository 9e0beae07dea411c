// The task programs by oneTBB, on as many threads as OMP_NUM_THREADS says: a task_group for each wait.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iterator>

#include "construct.h"
#include "programs.h"
#include "reference.h"

namespace {

long fibonacci(int n) {
  if (n < 2) return n;
  long before, last;
  tbb::task_group both;
  both.run([&] { last = fibonacci(n - 1); });
  both.run([&] { before = fibonacci(n - 2); });
  both.wait();
  return last + before;
}

long queens(board b) {
  if (all_placed(b)) return 1;
  std::array<long, QUEENS> found;
  std::size_t tasks = 0;
  tbb::task_group row;
  for (unsigned open = free_squares(b); open != 0; open &= open - 1, ++tasks)
    row.run([b, square = open & -open, into = &found[tasks]] { *into = queens(with_queen(b, square)); });
  row.wait();
  long solutions = 0;
  while (tasks > 0) solutions += found[--tasks];
  return solutions;
}

long search(std::uint64_t name, unsigned children) {
  if (children == 0) return 1;
  const auto nodes = static_cast<long*>(__builtin_alloca(children * sizeof(long)));
  tbb::task_group siblings;
  for (unsigned i = 0; i < children; ++i)
    siblings.run([child = child_name(name, i), into = &nodes[i]] { *into = search(child, children_of(child)); });
  siblings.wait();
  long total = 1;
  for (unsigned i = 0; i < children; ++i) total += nodes[i];
  return total;
}

tbb::task_arena& arena() {
  static tbb::task_arena it(weir_threads());
  return it;
}

template <class Program>
double timed(Program program, long expected) {
  long found = -1;
  const double begin = clock_ns(CLOCK_MONOTONIC);
  arena().execute([&] { found = program(); });
  const double took = clock_ns(CLOCK_MONOTONIC) - begin;
  return found == expected ? took : -1;
}

double fibonacci_program() {
  return timed([] { return fibonacci(FIBONACCI_OF); }, FIBONACCI);
}
double queens_program() {
  return timed([] { return queens({0, 0, 0}); }, SOLUTIONS);
}
double search_program() {
  return timed([] { return search(ROOT_NAME, ROOT_CHILDREN); }, nodes_of_tree());
}

constexpr construct whole(const char* name, double (*program)()) {
  return {name, WORK_OF_ONE, NO_PARAMETER, nullptr, FULL, program};
}
constexpr construct programs[] = {
    whole("fibonacci", fibonacci_program),
    whole("queens", queens_program),
    whole("tree-search", search_program),
};
constexpr group all_programs = {"program", programs, std::size(programs)};

}  // namespace

extern "C" {

const char weir_language[] = "C++";
const group* const weir_groups[] = {&all_programs, nullptr};

int weir_threads() {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  const int threads = asked != nullptr ? std::atoi(asked) : 0;
  return threads > 0 ? threads : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

void weir_start_team() {
  // oneTBB has no more threads than processors unless it is told.
  static const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                           static_cast<std::size_t>(weir_threads()));
  arena().execute([] {
    tbb::task_group one;
    for (int i = 0; i < weir_threads(); ++i) one.run(weir_delay);
    one.wait();
  });
}

void* weir_runtime() { return reinterpret_cast<void*>(&TBB_runtime_version); }
}
