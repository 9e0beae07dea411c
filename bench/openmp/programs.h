/* The task programs: problems that OpenMP's tasks and other libraries' tasks solve in the same way, so that their times compare.
 *
 *   fibonacci      the 30th number, by its definition: a task for each of the two numbers before it, 2.7 million tasks
 *   queens         11 queens on a board: a task for each square that the next row's queen may have, 0.17 million tasks
 *   tree-search    counts the nodes of an unbalanced tree: a task for each node, 0.2 million tasks
 *
 * None has a cut-off: a task computes next to nothing, and the task that has generated it waits for it. */
#ifndef WEIR_BENCH_OPENMP_PROGRAMS_H
#define WEIR_BENCH_OPENMP_PROGRAMS_H

#include <stdint.h>

enum { FIBONACCI_OF = 30, FIBONACCI = 832040 };

enum { QUEENS = 11, SOLUTIONS = 2680 };

/* The columns and diagonals that queens in earlier rows attack, as they meet this row. */
struct board {
  unsigned columns, left, right;
};
static inline int all_placed(struct board b) { return b.columns == (1u << QUEENS) - 1; }
static inline unsigned free_squares(struct board b) { return ~(b.columns | b.left | b.right) & ((1u << QUEENS) - 1); }
static inline struct board with_queen(struct board b, unsigned square) {
  const struct board next = {b.columns | square, (b.left | square) << 1, (b.right | square) >> 1};
  return next;
}

/* The tree, as in the benchmark "Unbalanced Tree Search" [Olivier and others, LCPC 2006], by a hash of our own choice: the
 * root has ROOT_CHILDREN; another node has CHILDREN or none, as a number drawn from its name says. With LIKELIHOOD * CHILDREN
 * just below 1 a few of the root's children have nearly all of the nodes. A node's name is drawn from its parent's and its
 * place among the siblings by splitmix64 [Steele, Lea and Flood, OOPSLA 2014], so any order of search finds the same tree. */
enum { ROOT_CHILDREN = 500, CHILDREN = 8 };
#define LIKELIHOOD 0.1245
#define ROOT_NAME UINT64_C(30)

static inline uint64_t child_name(uint64_t parent, unsigned place) {
  uint64_t z = parent + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
static inline unsigned children_of(uint64_t name) {
  return (double)(name >> 11) * 0x1p-53 < LIKELIHOOD ? CHILDREN : 0;
}
static inline long nodes_below(uint64_t name, unsigned children) {
  long nodes = 1;
  for (unsigned i = 0; i < children; ++i) {
    const uint64_t child = child_name(name, i);
    nodes += nodes_below(child, children_of(child));
  }
  return nodes;
}
/* The number of nodes that a search must find, counted once without tasks. */
static inline long nodes_of_tree(void) {
  static long nodes;
  if (nodes == 0) nodes = nodes_below(ROOT_NAME, ROOT_CHILDREN);
  return nodes;
}

#endif
