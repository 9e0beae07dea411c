/* Atomic updates as functions: the results and captured values of each; no update is lost. */
#include "check.h"
#include <complex.h>
#include <omp.h>
#include <stdbool.h>
#include <string.h>

typedef signed char fixed1;
typedef short fixed2;
typedef int fixed4;
typedef long long fixed8;
typedef unsigned char fixed1u;
typedef unsigned short fixed2u;
typedef unsigned fixed4u;
typedef unsigned long long fixed8u;
typedef float float4;
typedef double float8;
typedef long double float10;
typedef float _Complex cmplx4;
typedef double _Complex cmplx8;
typedef long double _Complex cmplx10;

#define AT NULL, 0
enum { TIMES = 400 }; /* even */

/* ---- the results: x and e are the operands */

static const int LEFT[] = {7, 100, 1, -5, 64, -128, 0}, RIGHT[] = {3, 7, 2, 1, 5, 4, 1};
#define UNIT(type) _Generic((type)0, cmplx4: 1 + 2i, cmplx8: 1 + 2i, cmplx10: 1 + 2i, default: 1)
#define EACH_PAIR(type)                                                                                  \
  for (int pair = 0; pair < (int)(sizeof LEFT / sizeof *LEFT); ++pair)                                   \
    for (type x = (type)(LEFT[pair] * UNIT(type)), e = (type)(RIGHT[pair] * UNIT(type)), *once = &x; once != NULL; once = NULL)

/* With a capture: the argument `last` selects the captured value, and cmplx4 has one argument more. */
#define CALL_VALUE(type, name, at, e, v, last) v = __kmpc_atomic_##type##_##name(AT, at, e, last)
#define CALL_ADDRESS(type, name, at, e, v, last) __kmpc_atomic_##type##_##name(AT, at, e, &v, last)
#define DECLARE_VALUE(type, name) type __kmpc_atomic_##type##_##name(void *, int, type *, type, int);
#define DECLARE_ADDRESS(type, name) void __kmpc_atomic_##type##_##name(void *, int, type *, type, type *, int);

#define ONE(how, type, plain, captured, value)                                  \
  {                                                                             \
    void __kmpc_atomic_##type##_##plain(void *, int, type *, type);             \
    DECLARE_##how(type, captured)                                               \
    EACH_PAIR(type) {                                                           \
      const type expected = (type)(value);                                      \
      type var = x, v = 0;                                                      \
      __kmpc_atomic_##type##_##plain(AT, &var, e);                              \
      CHECK(var == expected);                                                   \
      var = x;                                                                  \
      CALL_##how(type, captured, &var, e, v, 1);                                \
      CHECK(var == expected && v == expected);                                  \
      var = x;                                                                  \
      CALL_##how(type, captured, &var, e, v, 0);                                \
      CHECK(var == expected && v == x);                                         \
    }                                                                           \
  }
#define FORWARD(how, type, name, value) ONE(how, type, name, name##_cpt, value)
#define BOTH_WAYS(how, type, name, value, reversed) \
  FORWARD(how, type, name, value)                   \
  ONE(how, type, name##_rev, name##_cpt_rev, reversed)
#define MIXED(type, name, with, value)                                 \
  {                                                                    \
    void __kmpc_atomic_##type##_##name##_##with(void *, int, type *, with); \
    EACH_PAIR(type) {                                                  \
      const with by = (with)RIGHT[pair] / 4;                           \
      if (creal(value) < -128 || creal(value) > 127) continue; /* C does not say what fixed1 makes of it */ \
      const type expected = (type)(value);                             \
      __kmpc_atomic_##type##_##name##_##with(AT, &x, by);              \
      CHECK(x == expected);                                            \
      (void)e;                                                         \
    }                                                                  \
  }
#define READ_AND_WRITE(type)                                                    \
  {                                                                             \
    type __kmpc_atomic_##type##_rd(void *, int, type *);                        \
    void __kmpc_atomic_##type##_wr(void *, int, type *, type);                  \
    EACH_PAIR(type) {                                                           \
      CHECK(__kmpc_atomic_##type##_rd(AT, &x) == (type)(LEFT[pair] * UNIT(type))); \
      __kmpc_atomic_##type##_wr(AT, &x, e);                                     \
      CHECK(x == e);                                                            \
    }                                                                           \
  }
#define SWAP(type)                                                                \
  {                                                                               \
    type __kmpc_atomic_##type##_swp(void *, int, type *, type);                   \
    EACH_PAIR(type) CHECK(__kmpc_atomic_##type##_swp(AT, &x, e) == (type)(LEFT[pair] * UNIT(type)) && x == e); \
  }

#define INTEGER(type)                                         \
  FORWARD(VALUE, type, add, x + e)                            \
  BOTH_WAYS(VALUE, type, sub, x - e, e - x)                   \
  FORWARD(VALUE, type, mul, x *e)                             \
  FORWARD(VALUE, type, andb, x &e)                            \
  FORWARD(VALUE, type, orb, x | e)                            \
  FORWARD(VALUE, type, xor, x ^ e)                            \
  FORWARD(VALUE, type, neqv, x ^ e)                           \
  FORWARD(VALUE, type, eqv, ~(x ^ e))                         \
  FORWARD(VALUE, type, andl, x &&e)                           \
  FORWARD(VALUE, type, orl, x || e)                           \
  FORWARD(VALUE, type, min, x < e ? x : e)                    \
  FORWARD(VALUE, type, max, x > e ? x : e)                    \
  FORWARD(VALUE, type, div, x / e)                            \
  FORWARD(VALUE, type##u, div, x / e)                         \
  FORWARD(VALUE, type, shl, x << e)                           \
  FORWARD(VALUE, type, shr, x >> e)                           \
  FORWARD(VALUE, type##u, shr, x >> e)                        \
  MIXED(type, mul, float8, x *by)                             \
  MIXED(type, div, float8, x / by)                            \
  READ_AND_WRITE(type)                                        \
  SWAP(type)

#define FLOATING(type)                               \
  FORWARD(VALUE, type, add, x + e)                   \
  BOTH_WAYS(VALUE, type, sub, x - e, e - x)          \
  FORWARD(VALUE, type, mul, x *e)                    \
  FORWARD(VALUE, type, div, x / e)                   \
  FORWARD(VALUE, type, min, x < e ? x : e)           \
  FORWARD(VALUE, type, max, x > e ? x : e)           \
  READ_AND_WRITE(type)                               \
  SWAP(type)
#define COMPLEX(how, type)                           \
  FORWARD(how, type, add, x + e)       \
  BOTH_WAYS(how, type, sub, x - e, e - x)            \
  FORWARD(how, type, mul, x *e)                      \
  READ_AND_WRITE(type)

/* Reversed operations that need other operands: the small one is the shift count, or the divisor. */
#define REVERSED(type, name, value, e_, x_)                                                \
  {                                                                                        \
    void __kmpc_atomic_##type##_##name##_rev(void *, int, type *, type);                   \
    type __kmpc_atomic_##type##_##name##_cpt_rev(void *, int, type *, type, int);          \
    const type e = (type)(e_), x = (type)(x_), expected = (type)(value);                   \
    type var = x;                                                                          \
    __kmpc_atomic_##type##_##name##_rev(AT, &var, e);                                      \
    CHECK(var == expected);                                                                \
    var = x;                                                                               \
    CHECK(__kmpc_atomic_##type##_##name##_cpt_rev(AT, &var, e, 1) == expected && var == expected); \
    var = x;                                                                               \
    CHECK(__kmpc_atomic_##type##_##name##_cpt_rev(AT, &var, e, 0) == x && var == expected); \
  }
#define REVERSED_INTEGER(type)             \
  REVERSED(type, div, e / x, 100, 7)       \
  REVERSED(type, div, e / x, -100, 7)      \
  REVERSED(type##u, div, e / x, -3, 7)     \
  REVERSED(type, shl, e << x, 5, 3)        \
  REVERSED(type, shr, e >> x, -100, 3)     \
  REVERSED(type##u, shr, e >> x, -100, 3)

static void what_they_compute(void) {
  INTEGER(fixed1)
  INTEGER(fixed2)
  INTEGER(fixed4)
  INTEGER(fixed8)
  REVERSED_INTEGER(fixed1)
  REVERSED_INTEGER(fixed2)
  REVERSED_INTEGER(fixed4)
  REVERSED_INTEGER(fixed8)
  FLOATING(float4)
  FLOATING(float8)
  FLOATING(float10)
  REVERSED(float4, div, e / x, 9, 7)
  REVERSED(float8, div, e / x, 9, 7)
  REVERSED(float10, div, e / x, 9, 7)
  MIXED(float4, add, float8, x + by)
  MIXED(float4, sub, float8, x - by)
  MIXED(float4, mul, float8, x *by)
  MIXED(float4, div, float8, x / by)
  COMPLEX(ADDRESS, cmplx4)
  MIXED(cmplx4, add, cmplx8, x + by)
  MIXED(cmplx4, sub, cmplx8, x - by)
  MIXED(cmplx4, mul, cmplx8, x *by)
}

static void complex_ones(void) {
  void __kmpc_atomic_cmplx4_swp(void *, int, cmplx4 *, cmplx4, cmplx4 *);
  cmplx4 x = 1 + 2i, v = 0;
  __kmpc_atomic_cmplx4_swp(AT, &x, 3 + 4i, &v);
  CHECK(x == (cmplx4)(3 + 4i) && v == (cmplx4)(1 + 2i));
  void __kmpc_atomic_cmplx4_div_cmplx8(void *, int, cmplx4 *, cmplx8);
  __kmpc_atomic_cmplx4_div_cmplx8(AT, &x, 2i);
  CHECK(x == (cmplx4)(2 - 1.5i));
#define DIVIDED(how, type)                                               \
  {                                                                      \
    void __kmpc_atomic_##type##_div(void *, int, type *, type);          \
    void __kmpc_atomic_##type##_div_rev(void *, int, type *, type);      \
    DECLARE_##how(type, div_cpt)                                         \
    DECLARE_##how(type, div_cpt_rev)                                     \
    type var = 3 + 4i, got = 0;                                          \
    __kmpc_atomic_##type##_div(AT, &var, 2i);                            \
    CHECK(var == (type)(2 - 1.5i));                                      \
    CALL_##how(type, div_cpt, &var, 2, got, 1);                          \
    CHECK(got == (type)(1 - 0.75i) && var == got);                       \
    var = 2i;                                                            \
    __kmpc_atomic_##type##_div_rev(AT, &var, 8);                         \
    CHECK(var == (type)-4i);                                             \
    CALL_##how(type, div_cpt_rev, &var, 8, got, 0);                      \
    CHECK(got == (type)-4i && var == (type)2i);                          \
  }
  DIVIDED(ADDRESS, cmplx4)
  DIVIDED(VALUE, cmplx8)
  DIVIDED(VALUE, cmplx10)
  COMPLEX(VALUE, cmplx8)
  COMPLEX(VALUE, cmplx10)
  SWAP(cmplx8)
  SWAP(cmplx10)
}

/* ---- no update is lost */

#define NONE_LOST(how, type)                                                  \
  {                                                                           \
    void __kmpc_atomic_##type##_add(void *, int, type *, type);               \
    void __kmpc_atomic_##type##_sub(void *, int, type *, type);               \
    void __kmpc_atomic_##type##_sub_rev(void *, int, type *, type);           \
    void __kmpc_atomic_##type##_mul(void *, int, type *, type);               \
    DECLARE_##how(type, add_cpt)                                              \
    type __kmpc_atomic_##type##_rd(void *, int, type *);                      \
    type sum = 0, *x = &sum;                                                  \
    long captured = 0;                                                        \
    PRAGMA(omp parallel reduction(+ : captured))                              \
    for (int i = 0; i < TIMES; ++i) {                                         \
      __kmpc_atomic_##type##_add(AT, x, 3);                                   \
      __kmpc_atomic_##type##_sub(AT, x, 3);                                   \
      type v = 0;                                                             \
      CALL_##how(type, add_cpt, x, 2, v, 1);                                  \
      captured += v != 0;                                                     \
      CALL_##how(type, add_cpt, x, -1, v, 0);                                 \
    }                                                                         \
    CHECK(sum == (type)(TIMES * omp_get_max_threads()) && captured >= 1);     \
    sum = 5;                                                                  \
    PRAGMA(omp parallel)                                                      \
    for (int i = 0; i < TIMES; ++i) {                                         \
      __kmpc_atomic_##type##_mul(AT, x, -1);                                  \
      __kmpc_atomic_##type##_sub_rev(AT, x, 0);                               \
      type v = __kmpc_atomic_##type##_rd(AT, x);                              \
      CHECK(v == (type)5 || v == (type)-5);                                   \
    }                                                                         \
    CHECK(sum == 5);                                                          \
  }

/* A complex number is aligned only as its parts are, so no single instruction can access it. */
static void between_words(void) {
  void __kmpc_atomic_cmplx4_add(void *, int, cmplx4 *, cmplx4);
  cmplx4 __kmpc_atomic_cmplx4_rd(void *, int, cmplx4 *);
  void __kmpc_atomic_cmplx4_wr(void *, int, cmplx4 *, cmplx4);
  _Alignas(64) float line[32] = {0};
  cmplx4 *x = (cmplx4 *)(line + 15); /* across two cache lines */
#pragma omp parallel
  for (int i = 0; i < TIMES; ++i) {
    __kmpc_atomic_cmplx4_add(AT, x, 1 + 1i);
    cmplx4 v = __kmpc_atomic_cmplx4_rd(AT, x);
    CHECK(crealf(v) == cimagf(v));
  }
  CHECK(*x == (cmplx4)((1 + 1i) * TIMES * omp_get_max_threads()));
  __kmpc_atomic_cmplx4_wr(AT, x, 4i);
  CHECK(*x == (cmplx4)4i && line[14] == 0 && line[17] == 0);
}

/* ---- the compiler's own operation, compare and swap, and one lock for all updates */

#define OPERATION(bytes, type)                                                                   \
  static void add_##bytes(void *into, void *a, void *b) { *(type *)into = *(type *)a + *(type *)b; } \
  static void with_##bytes(void) {                                                               \
    void __kmpc_atomic_##bytes(void *, int, void *, void *, void (*)(void *, void *, void *));   \
    struct {                                                                                     \
      type before, x, after;                                                                     \
    } var = {9, 0, 9};                                                                           \
    type one = 1;                                                                                \
    PRAGMA(omp parallel)                                                                         \
    for (int i = 0; i < TIMES; ++i) __kmpc_atomic_##bytes(AT, &var.x, &one, add_##bytes);        \
    CHECK(var.x == (type)(TIMES * omp_get_max_threads()) && var.before == 9 && var.after == 9);  \
  }
OPERATION(1, fixed1)
OPERATION(2, fixed2)
OPERATION(4, float)
OPERATION(8, cmplx4)
OPERATION(10, float10)
OPERATION(16, cmplx8)
OPERATION(20, cmplx10)
OPERATION(32, cmplx10)

#define COMPARE(bytes, type)                                                                          \
  {                                                                                                   \
    bool __kmpc_atomic_bool_##bytes##_cas(void *, int, type *, type, type);                           \
    type __kmpc_atomic_val_##bytes##_cas(void *, int, type *, type, type);                            \
    bool __kmpc_atomic_bool_##bytes##_cas_cpt(void *, int, type *, type, type, type *);               \
    type __kmpc_atomic_val_##bytes##_cas_cpt(void *, int, type *, type, type, type *);                \
    type x = 5, v = 99;                                                                               \
    CHECK(__kmpc_atomic_bool_##bytes##_cas(AT, &x, 5, -6) && x == -6);                                \
    CHECK(!__kmpc_atomic_bool_##bytes##_cas(AT, &x, 5, 7) && x == -6);                                \
    CHECK(__kmpc_atomic_val_##bytes##_cas(AT, &x, -6, 7) == -6 && x == 7);                            \
    CHECK(__kmpc_atomic_val_##bytes##_cas(AT, &x, -6, 8) == 7 && x == 7);                             \
    CHECK(__kmpc_atomic_bool_##bytes##_cas_cpt(AT, &x, 7, 8, &v) && x == 8 && v == 99);               \
    CHECK(!__kmpc_atomic_bool_##bytes##_cas_cpt(AT, &x, 7, 9, &v) && x == 8 && v == 8);               \
    CHECK(__kmpc_atomic_val_##bytes##_cas_cpt(AT, &x, 8, 9, &v) == 8 && x == 9 && v == 9);            \
    CHECK(__kmpc_atomic_val_##bytes##_cas_cpt(AT, &x, 8, 10, &v) == 9 && x == 9 && v == 9);           \
    x = 0;                                                                                            \
    type *at = &x;                                                                                    \
    PRAGMA(omp parallel)                                                                              \
    for (int i = 0; i < TIMES; ++i)                                                                   \
      for (type seen = 0, now; (now = __kmpc_atomic_val_##bytes##_cas(AT, at, seen, (type)(seen + 1))) != seen;) seen = now; \
    CHECK(x == (type)(TIMES * omp_get_max_threads()));                                                \
  }

static void by_a_lock(void) {
  void __kmpc_atomic_start(void);
  void __kmpc_atomic_end(void);
  int counted = 0;
#pragma omp parallel
  for (int i = 0; i < TIMES; ++i) {
    __kmpc_atomic_start();
    ++counted;
    __kmpc_atomic_end();
  }
  CHECK(counted == TIMES * omp_get_max_threads());
}

int main(void) {
  omp_set_dynamic(0);
  what_they_compute();
  complex_ones();
  NONE_LOST(VALUE, fixed1)
  NONE_LOST(VALUE, fixed2)
  NONE_LOST(VALUE, fixed4)
  NONE_LOST(VALUE, fixed8)
  NONE_LOST(VALUE, float4)
  NONE_LOST(VALUE, float8)
  NONE_LOST(VALUE, float10)
  NONE_LOST(ADDRESS, cmplx4)
  NONE_LOST(VALUE, cmplx8)
  NONE_LOST(VALUE, cmplx10)
  between_words();
  with_1();
  with_2();
  with_4();
  with_8();
  with_10();
  with_16();
  with_20();
  with_32();
  COMPARE(1, fixed1)
  COMPARE(2, fixed2)
  COMPARE(4, fixed4)
  COMPARE(8, fixed8)
  by_a_lock();
  return verdict();
}
