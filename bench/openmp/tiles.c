/* Factorisations by tiles. One thread generates the tasks in the order of the sequential program, and their dependences say
 * which tasks may execute at the same time. Each tile is changed in the sequential order, so the result equals that of the
 * sequential execution bit by bit. The sequential execution is the same function called outside of a region, where the team
 * has one thread. */
#include "tiles.h"

#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tile of a matrix: SIDE rows of SIDE numbers. */
enum { SIDE = 32, TILES = 20 };
typedef double tile[SIDE][SIDE];
/* A null pointer is a tile of zeros. */
struct matrix {
  tile *of[TILES][TILES];
};

/* The operations of the tasks. Nearly all of the time is in the product, whose sums are in registers, so that both compilers'
   code takes equally long. */

/* c -= a b */
static void subtract_product(tile *c, tile *a, tile *b) {
  typedef double pair __attribute__((vector_size(16), may_alias));
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; j += 8) {
      pair s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
      for (int k = 0; k < SIDE; ++k) {
        const pair by = {(*a)[i][k], (*a)[i][k]}, *const row = (const pair *)&(*b)[k][j];
        s0 += by * row[0], s1 += by * row[1], s2 += by * row[2], s3 += by * row[3];
      }
      pair *const sums = (pair *)&(*c)[i][j];
      sums[0] -= s0, sums[1] -= s1, sums[2] -= s2, sums[3] -= s3;
    }
}

/* c -= a b^T */
static void subtract_product_transposed(tile *c, tile *a, tile *b) {
  tile turned;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) turned[j][i] = (*b)[i][j];
  subtract_product(c, a, &turned);
}

/* a = L U, in place, without pivoting: the diagonal is dominant. */
static void factor_lu(tile *a) {
  for (int k = 0; k < SIDE; ++k)
    for (int i = k + 1; i < SIDE; ++i) {
      const double by = (*a)[i][k] /= (*a)[k][k];
#pragma omp simd
      for (int j = k + 1; j < SIDE; ++j) (*a)[i][j] -= by * (*a)[k][j];
    }
}

/* b = L^-1 b */
static void solve_lower(tile *l, tile *b) {
  for (int k = 0; k < SIDE; ++k)
    for (int i = k + 1; i < SIDE; ++i) {
      const double by = (*l)[i][k];
#pragma omp simd
      for (int j = 0; j < SIDE; ++j) (*b)[i][j] -= by * (*b)[k][j];
    }
}

/* b = b U^-1 */
static void solve_upper(tile *u, tile *b) {
  for (int i = 0; i < SIDE; ++i)
    for (int k = 0; k < SIDE; ++k) {
      const double by = (*b)[i][k] /= (*u)[k][k];
#pragma omp simd
      for (int j = k + 1; j < SIDE; ++j) (*b)[i][j] -= by * (*u)[k][j];
    }
}

/* a = L L^T, L in place; nobody reads the values above the diagonal. */
static void factor_cholesky(tile *a) {
  for (int k = 0; k < SIDE; ++k) {
    (*a)[k][k] = sqrt((*a)[k][k]);
    for (int i = k + 1; i < SIDE; ++i) (*a)[i][k] /= (*a)[k][k];
    for (int i = k + 1; i < SIDE; ++i)
      for (int j = k + 1; j <= i; ++j) (*a)[i][j] -= (*a)[i][k] * (*a)[j][k];
  }
}

/* b = b L^-T */
static void solve_transposed(tile *l, tile *b) {
  for (int i = 0; i < SIDE; ++i)
    for (int k = 0; k < SIDE; ++k) {
      const double by = (*b)[i][k] /= (*l)[k][k];
      for (int j = k + 1; j < SIDE; ++j) (*b)[i][j] -= by * (*l)[j][k];
    }
}

/* The programs. `depend` names a tile by its first number. */

static tile *new_tile(void) {
  tile *const made = aligned_alloc(sizeof(tile) < 4096 ? 64 : 4096, sizeof(tile));
  if (made == NULL) abort();
  return made;
}

/* A tile of zeros becomes a nonzero tile. This happens while tasks are generated, so it is the same tile in every execution. */
static tile *filled_in(tile **at) {
  if (*at == NULL) memset(*at = new_tile(), 0, sizeof(tile));
  return *at;
}

static void sparse_lu(struct matrix *m) {
  for (int k = 0; k < TILES; ++k) {
    tile *const d = m->of[k][k];
#pragma omp task depend(inout : (*d)[0][0])
    factor_lu(d);
    for (int j = k + 1; j < TILES; ++j) {
      tile *const right = m->of[k][j], *const below = m->of[j][k];
      if (right != NULL) {
#pragma omp task depend(in : (*d)[0][0]) depend(inout : (*right)[0][0])
        solve_lower(d, right);
      }
      if (below != NULL) {
#pragma omp task depend(in : (*d)[0][0]) depend(inout : (*below)[0][0])
        solve_upper(d, below);
      }
    }
    for (int i = k + 1; i < TILES; ++i)
      for (int j = k + 1; j < TILES; ++j) {
        tile *const a = m->of[i][k], *const b = m->of[k][j];
        if (a == NULL || b == NULL) continue;
        tile *const c = filled_in(&m->of[i][j]);
#pragma omp task depend(in : (*a)[0][0], (*b)[0][0]) depend(inout : (*c)[0][0])
        subtract_product(c, a, b);
      }
  }
#pragma omp taskwait
}

static void cholesky(struct matrix *m) {
  for (int k = 0; k < TILES; ++k) {
    tile *const d = m->of[k][k];
#pragma omp task depend(inout : (*d)[0][0])
    factor_cholesky(d);
    for (int i = k + 1; i < TILES; ++i) {
      tile *const a = m->of[i][k];
#pragma omp task depend(in : (*d)[0][0]) depend(inout : (*a)[0][0])
      solve_transposed(d, a);
    }
    for (int i = k + 1; i < TILES; ++i)
      for (int j = k + 1; j <= i; ++j) {
        tile *const a = m->of[i][k], *const b = m->of[j][k], *const c = m->of[i][j];
#pragma omp task depend(in : (*a)[0][0], (*b)[0][0]) depend(inout : (*c)[0][0])
        subtract_product_transposed(c, a, b);
      }
  }
#pragma omp taskwait
}

/* A symmetric matrix with a dominant diagonal, which consists of the tiles that `there` admits. */
static struct matrix *new_matrix(int (*there)(int row, int column)) {
  struct matrix *const m = calloc(1, sizeof *m);
  if (m == NULL) abort();
  for (int row = 0; row < TILES; ++row)
    for (int column = 0; column < TILES; ++column) {
      if (!there(row, column)) continue;
      tile *const t = m->of[row][column] = new_tile();
      for (int i = 0; i < SIDE; ++i)
        for (int j = 0; j < SIDE; ++j) {
          const int y = row * SIDE + i, x = column * SIDE + j;
          (*t)[i][j] = y == x ? TILES * SIDE : (double)((y + x) * 7 % 11) / 11 - 0.5;
        }
    }
  return m;
}

static void delete_matrix(struct matrix *m) {
  for (int row = 0; row < TILES; ++row)
    for (int column = 0; column < TILES; ++column) free(m->of[row][column]);
  free(m);
}

static int equal(const struct matrix *a, const struct matrix *b) {
  for (int row = 0; row < TILES; ++row)
    for (int column = 0; column < TILES; ++column) {
      const tile *const x = a->of[row][column], *const y = b->of[row][column];
      if ((x == NULL) != (y == NULL) || (x != NULL && memcmp(x, y, sizeof(tile)) != 0)) return 0;
    }
  return 1;
}

/* Two in five tiles, besides the diagonal and its neighbours; the factorisation fills more of them in. */
static int in_sparse(int row, int column) {
  const int apart = abs(row - column);
  return apart < 2 || (row + column) % 5 == 0 || apart % 5 == 0;
}
static int in_lower(int row, int column) { return row >= column; }

static double time_of(void (*program)(struct matrix *), int (*there)(int, int), struct matrix **expected) {
  if (*expected == NULL) program(*expected = new_matrix(there));
  struct matrix *const m = new_matrix(there);
  const double begin = clock_ns(CLOCK_MONOTONIC);
#pragma omp parallel
#pragma omp master
  program(m);
  const double took = clock_ns(CLOCK_MONOTONIC) - begin;
  const int right = equal(m, *expected);
  delete_matrix(m);
  return right ? took : -1;
}

double sparse_lu_program(void) {
  static struct matrix *expected;
  return time_of(sparse_lu, in_sparse, &expected);
}

double cholesky_program(void) {
  static struct matrix *expected;
  return time_of(cholesky, in_lower, &expected);
}
