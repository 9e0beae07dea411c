/* atomic: operands of every size, by instructions and by the runtime. */
#include "check.h"
#include <omp.h>
#include <stdint.h>

#define ARITHMETIC(type, name)                                              \
  static void of_##name(int rounds) {                                       \
    struct {                                                                \
      char before;                                                          \
      type value, taken;                                                    \
      char after;                                                           \
    } s = {1, 0, 0, 2};                                                     \
    type product = 1;                                                       \
    int team = asked();                                                     \
    PRAGMA(omp parallel)                                                    \
    for (int i = 0; i < rounds; ++i) {                                      \
      PRAGMA(omp atomic)                                                    \
      s.value += 3;                                                         \
      PRAGMA(omp atomic)                                                    \
      s.value = s.value - 2;                                                \
      type old;                                                             \
      PRAGMA(omp atomic capture)                                            \
      old = s.taken++;                                                      \
      type now;                                                             \
      PRAGMA(omp atomic read)                                               \
      now = s.taken;                                                        \
      if (sizeof(type) > 2) CHECK(now > old);                               \
      PRAGMA(omp atomic update seq_cst)                                     \
      product *= 1;                                                         \
      PRAGMA(omp atomic)                                                    \
      product = 1 / product;                                                \
    }                                                                       \
    CHECK(s.value == (type)(rounds * team));                                \
    CHECK(s.taken == (type)(rounds * team));                                \
    CHECK(product == (type)1 && s.before == 1 && s.after == 2);             \
    PRAGMA(omp parallel)                                                    \
    {                                                                       \
      PRAGMA(omp atomic write)                                              \
      s.value = 7;                                                          \
    }                                                                       \
    CHECK(s.value == (type)7);                                              \
  }

ARITHMETIC(int8_t, one_byte)
ARITHMETIC(uint16_t, two_bytes)
ARITHMETIC(int32_t, four_bytes)
ARITHMETIC(uint32_t, four_bytes_unsigned)
ARITHMETIC(int64_t, eight_bytes)
ARITHMETIC(uint64_t, eight_bytes_unsigned)
ARITHMETIC(__int128, sixteen_bytes)
ARITHMETIC(float, float)
ARITHMETIC(double, double)
ARITHMETIC(long double, long_double)

static void of_bits(void) {
  enum { BITS = 60 };
  uint64_t set = 0, left = ~0ull, odd = 0;
  uint32_t shifted = 1;
#pragma omp parallel for
  for (int i = 0; i < BITS; ++i) {
#pragma omp atomic
    set |= 1ull << i;
#pragma omp atomic
    left &= ~(1ull << i);
#pragma omp atomic
    odd ^= 3ull << i;
    if (i % 20 == 0) {
#pragma omp atomic
      shifted <<= 3;
    }
  }
  CHECK(set == (1ull << BITS) - 1 && left == ~((1ull << BITS) - 1));
  CHECK(odd == ((1ull << BITS) | 1) && shifted == 512);
}

static void captures(void) {
  enum { TICKETS = 1000 };
  static int taken[TICKETS];
  int next = 0, swapped = -1, missing = 0;
  long double precise = 0;
#pragma omp parallel for
  for (int i = 0; i < TICKETS; ++i) {
    int ticket, before;
#pragma omp atomic capture
    {
      ticket = next;
      next += 1;
    }
    add(&taken[ticket], 1);
#pragma omp atomic capture
    {
      before = swapped;
      swapped = i;
    }
    if (before != -1) add(&missing, before);
    long double after;
#pragma omp atomic capture
    after = precise += 1;
    CHECK(after >= 1 && after <= TICKETS);
  }
  for (int i = 0; i < TICKETS; ++i) CHECK(taken[i] == 1);
  /* Each value but the last was captured by the next swap. */
  CHECK(missing + swapped == TICKETS * (TICKETS - 1) / 2);
  CHECK(precise == TICKETS);
}

int main(void) {
  int rounds = episodes(1000);
  of_one_byte(rounds);
  of_two_bytes(rounds);
  of_four_bytes(rounds);
  of_four_bytes_unsigned(rounds);
  of_eight_bytes(rounds);
  of_eight_bytes_unsigned(rounds);
  of_sixteen_bytes(rounds);
  of_float(rounds);
  of_double(rounds);
  of_long_double(rounds);
  of_bits();
  captures();
  return verdict();
}
