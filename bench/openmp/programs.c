/* The task programs by OpenMP. */
#include "programs.h"

#include "construct.h"
#include "reference.h"
#include "tiles.h"

static long fibonacci(int n) {
  if (n < 2) return n;
  long before, last;
#pragma omp task shared(last)
  last = fibonacci(n - 1);
#pragma omp task shared(before)
  before = fibonacci(n - 2);
#pragma omp taskwait
  return last + before;
}

static long queens(struct board b) {
  if (all_placed(b)) return 1;
  long found[QUEENS];
  int tasks = 0;
  for (unsigned open = free_squares(b); open != 0; open &= open - 1, ++tasks) {
    const unsigned square = open & -open;
    long *const into = &found[tasks];
#pragma omp task
    *into = queens(with_queen(b, square));
  }
#pragma omp taskwait
  long solutions = 0;
  while (tasks > 0) solutions += found[--tasks];
  return solutions;
}

static long search(uint64_t name, unsigned children) {
  if (children == 0) return 1;
  long nodes[children];
  for (unsigned i = 0; i < children; ++i) {
    const uint64_t child = child_name(name, i);
    long *const into = &nodes[i];
#pragma omp task
    *into = search(child, children_of(child));
  }
#pragma omp taskwait
  long total = 1;
  for (unsigned i = 0; i < children; ++i) total += nodes[i];
  return total;
}

/* Executes a program that one thread of a team begins. Returns its time if the result is right. */
#define PROGRAM(name, call, expected)                     \
  static double name##_program(void) {                    \
    long found = -1;                                      \
    const double begin = clock_ns(CLOCK_MONOTONIC);       \
    _Pragma("omp parallel") _Pragma("omp master") found = call; \
    const double took = clock_ns(CLOCK_MONOTONIC) - begin; \
    return found == (expected) ? took : -1;               \
  }
PROGRAM(fibonacci, fibonacci(FIBONACCI_OF), FIBONACCI)
PROGRAM(queens, queens((struct board){0, 0, 0}), SOLUTIONS)
PROGRAM(search, search(ROOT_NAME, ROOT_CHILDREN), nodes_of_tree())

static const struct construct programs[] = {
    {.name = "fibonacci", .program = fibonacci_program},
    {.name = "queens", .program = queens_program},
    {.name = "tree-search", .program = search_program},
    {.name = "sparse-lu", .program = sparse_lu_program},
    {.name = "cholesky", .program = cholesky_program},
};
const struct group weir_programs = {"program", programs, sizeof programs / sizeof programs[0]};
