/* Allocators: their memory is usable, aligned and not shared; a pool that is exhausted uses its fallback. */
#include "check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>

static int is_aligned(const void *p, size_t to) { return p != NULL && (uintptr_t)p % to == 0; }

static void predefined(void) {
  const omp_allocator_handle_t allocators[] = {omp_null_allocator,   omp_default_mem_alloc, omp_large_cap_mem_alloc,
                                               omp_const_mem_alloc,  omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,
                                               omp_cgroup_mem_alloc, omp_pteam_mem_alloc,   omp_thread_mem_alloc};
  for (unsigned i = 0; i < sizeof allocators / sizeof *allocators; ++i) {
    char *a = omp_alloc(100, allocators[i]), *b = omp_aligned_alloc(256, 512, allocators[i]);
    int *c = omp_calloc(50, sizeof(int), allocators[i]), *d = omp_aligned_calloc(128, 50, sizeof(int), allocators[i]);
    CHECK(is_aligned(a, 8) && is_aligned(b, 256) && is_aligned(c, 8) && is_aligned(d, 128));
    for (int k = 0; k < 50; ++k) CHECK(c[k] == 0 && d[k] == 0);
    memset(a, 1, 100);
    memset(b, 2, 512);
    a = omp_realloc(a, 1000, allocators[i], allocators[i]);
    CHECK(a != NULL && a[0] == 1 && a[99] == 1 && b[0] == 2 && b[511] == 2);
    memset(a, 3, 1000);
    a = omp_realloc(a, 10, omp_null_allocator, omp_null_allocator);
    CHECK(a != NULL && a[9] == 3);
    omp_free(a, allocators[i]);
    omp_free(b, omp_null_allocator);
    omp_free(c, allocators[i]);
    omp_free(d, allocators[i]);
  }
  volatile size_t far_too_many = (size_t)-1 / 2;
  CHECK(omp_calloc(far_too_many, 4, omp_default_mem_alloc) == NULL);
  CHECK(omp_realloc(NULL, 0, omp_default_mem_alloc, omp_null_allocator) == NULL);
  omp_free(NULL, omp_default_mem_alloc);
}

static omp_allocator_handle_t with(int count, const omp_alloctrait_t *traits) {
  omp_alloctrait_t copy[8];
  memcpy(copy, traits, (size_t)count * sizeof *copy);
  return omp_init_allocator(omp_default_mem_space, count, copy);
}

static void traits(void) {
  const omp_alloctrait_t wide[] = {
      {omp_atk_alignment, 1024}, {omp_atk_access, omp_atv_all}, {omp_atk_sync_hint, omp_atv_contended}};
  omp_allocator_handle_t a = with(3, wide);
  CHECK(a != omp_null_allocator);
  void *p = omp_alloc(10, a), *q = omp_aligned_alloc(64, 64, a);
  CHECK(is_aligned(p, 1024) && is_aligned(q, 1024));
  omp_free(p, a);
  omp_free(q, a);
  omp_destroy_allocator(a);

  const omp_alloctrait_t small[] = {{omp_atk_pool_size, 8192}, {omp_atk_fallback, omp_atv_null_fb}};
  a = with(2, small);
  p = omp_alloc(5000, a);
  CHECK(p != NULL && omp_alloc(5000, a) == NULL && omp_alloc(20000, a) == NULL);
  omp_free(p, a);
  p = omp_alloc(5000, a); /* the freed memory is available again */
  CHECK(p != NULL);

  const omp_alloctrait_t other[] = {
      {omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, (uintptr_t)a}};
  omp_allocator_handle_t b = with(3, other);
  CHECK(omp_alloc(5000, b) == NULL); /* the other pool has too little left as well */
  q = omp_alloc(1000, b);
  CHECK(q != NULL);
  memset(q, 1, 1000);
  omp_free(q, b);
  omp_free(p, a);

  const omp_alloctrait_t usual[] = {
      {omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_default_mem_fb}, {omp_atk_partition, omp_atv_environment}};
  omp_allocator_handle_t c = with(3, usual);
  p = omp_calloc(1000, 4, c);
  CHECK(p != NULL && ((int *)p)[999] == 0);
  omp_free(p, c);
  omp_destroy_allocator(c);
  omp_destroy_allocator(b);
  omp_destroy_allocator(a);

  const omp_alloctrait_t locked[] = {{omp_atk_pinned, omp_atv_true}, {omp_atk_fallback, omp_atv_null_fb}};
  a = with(2, locked);
  if (a != omp_null_allocator) { /* some systems cannot pin memory */
    p = omp_calloc(10000, 1, a);
    CHECK(p == NULL || ((char *)p)[9999] == 0);
    if (p != NULL) memset(p, 1, 10000);
    omp_free(p, a);
    omp_destroy_allocator(a);
  }

  const omp_alloctrait_t odd[] = {{omp_atk_alignment, 24}};
  CHECK(with(1, odd) == omp_null_allocator);
}

/* All members allocate from one pool: no two of them get the same memory, and together they never get more than its size. */
static void shared_by_a_team(void) {
  enum { SIZE = 1 << 20 };
  const omp_alloctrait_t pool[] = {{omp_atk_pool_size, SIZE}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t a = with(2, pool);
  int got = 0;
  long most = 0, now = 0;
#pragma omp parallel reduction(+ : got)
  for (int i = 0; i < 300; ++i) {
    const int value = omp_get_thread_num() * 1000 + i, bytes = 60000 + i;
    int *p = omp_alloc((size_t)bytes, a);
    if (p == NULL) continue;
    got += 1;
    const long held = __atomic_add_fetch(&now, bytes, __ATOMIC_RELAXED);
#pragma omp critical
    if (held > most) most = held;
    p[0] = p[100] = p[bytes / 4 - 1] = value;
    int *larger = i % 7 == 0 ? omp_realloc(p, (size_t)bytes + 1, a, a) : NULL;
    if (larger != NULL) p = larger;
    CHECK(p[0] == value && p[100] == value && p[bytes / 4 - 1] == value);
    __atomic_fetch_sub(&now, bytes, __ATOMIC_RELAXED);
    omp_free(p, a);
  }
  CHECK(got > 0 && most <= SIZE);
  void *whole = omp_alloc(SIZE / 2, a);
  CHECK(whole != NULL); /* all memory has been returned to the pool */
  omp_free(whole, a);
  omp_destroy_allocator(a);
}

/* A block grows if its pool has room for the added bytes: the pool need not hold the old and the new block at once. */
static void grown(void) {
  const omp_alloctrait_t small[] = {{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t a = with(2, small);
  char *p = omp_alloc(1000, a);
  CHECK(p != NULL);
  for (size_t bytes = 1000; p != NULL && bytes < 4000; bytes += 10) {
    memset(p, 7, bytes);
    char *now = omp_realloc(p, bytes + 10, a, a);
    CHECK(now != NULL && now[0] == 7 && now[bytes - 1] == 7);
    if (now != NULL) p = now;
  }
  CHECK(omp_realloc(p, 5000, a, a) == NULL && p[0] == 7); /* the old block remains */
  p = omp_realloc(p, 100, a, a);                          /* the rest is free again */
  char *q = omp_alloc(2500, a);
  CHECK(p != NULL && q != NULL);
  omp_free(p, a);
  omp_free(q, a);
  p = omp_alloc(3800, a);
  CHECK(p != NULL);
  omp_free(p, a);
  omp_destroy_allocator(a);
}

/* The default is a task's own, and inherited. */
static void defaults(void) {
  const char *said = getenv("OMP_ALLOCATOR");
  CHECK(omp_get_default_allocator() == (said != NULL ? omp_large_cap_mem_alloc : omp_default_mem_alloc));
  omp_set_default_allocator(omp_high_bw_mem_alloc);
#pragma omp parallel
  {
    CHECK(omp_get_default_allocator() == omp_high_bw_mem_alloc);
    omp_set_default_allocator(omp_thread_mem_alloc);
    CHECK(omp_get_default_allocator() == omp_thread_mem_alloc);
  }
  omp_set_default_allocator(said != NULL ? omp_large_cap_mem_alloc : omp_default_mem_alloc);
}

static void of_variables(void) {
  const omp_alloctrait_t wide[] = {{omp_atk_alignment, 512}};
  omp_allocator_handle_t a = with(1, wide);
  double field[64], sum = 0;
#pragma omp parallel private(field) allocate(a : field) reduction(+ : sum)
  {
    volatile double *at = field;
    CHECK((uintptr_t)at % 512 == 0);
    for (int i = 0; i < 64; ++i) field[i] = omp_get_thread_num();
    for (int i = 0; i < 64; ++i) sum += field[i];
  }
  CHECK(sum == 32.0 * asked() * (asked() - 1));
  omp_destroy_allocator(a);
}

int main(void) {
  defaults();
  for (int i = 0; i < 3; ++i) {
    predefined();
    traits();
    grown();
    shared_by_a_team();
    of_variables();
  }
  return verdict();
}
