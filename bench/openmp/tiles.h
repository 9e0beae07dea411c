/* Programs over matrices of tiles: a task for each operation on tiles, ordered by `depend` alone. */
#ifndef WEIR_BENCH_OPENMP_TILES_H
#define WEIR_BENCH_OPENMP_TILES_H

/* Each executes its program once (struct construct). */
double sparse_lu_program(void);
double cholesky_program(void);

#endif
