// Atomic updates as functions, one for each type and operation. Intel's compilers call them, and so do other compilers if there
// is no instruction for an update. They use compare-and-swap if there is one for the object, otherwise a lock.
//
// The construct's memory order is not passed, so all use the strongest, seq_cst.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "openmp/kmpc/interface.hpp"
#include "openmp/support/lock.hpp"

using weir::openmp::atomic_updates;
using weir::openmp::source_line;

namespace {

template <std::size_t Size>
struct word_of;
template <>
struct word_of<1> { using type = std::uint8_t; };
template <>
struct word_of<2> { using type = std::uint16_t; };
template <>
struct word_of<4> { using type = std::uint32_t; };
template <>
struct word_of<8> { using type = std::uint64_t; };

constexpr bool has_word(std::size_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

template <class T>
struct change {
  T before, after;
};

/// Replaces the object's value by `of(value)`. A complex number may be aligned so that no instruction can access it as one word;
/// all functions see this alignment, so all of them lock.
template <class T, class Function>
change<T> update(T* at, Function of) {
  if constexpr (has_word(sizeof(T))) {
    using word = typename word_of<sizeof(T)>::type;
    if (reinterpret_cast<std::uintptr_t>(at) % sizeof(T) == 0) {
      auto* const variable = reinterpret_cast<word*>(at);
      word seen = __atomic_load_n(variable, __ATOMIC_RELAXED);  // relaxed: a first guess, which the swap verifies
      for (;;) {
        const T before = std::bit_cast<T>(seen), after = of(before);
        if (__atomic_compare_exchange_n(variable, &seen, std::bit_cast<word>(after), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
          return {before, after};
      }
    }
  }
  atomic_updates.take();
  const T before = *at, after = of(before);
  *at = after;
  atomic_updates.release();
  return {before, after};
}

template <class T>
T read(T* at) {
  if constexpr (has_word(sizeof(T))) {
    using word = typename word_of<sizeof(T)>::type;
    if (reinterpret_cast<std::uintptr_t>(at) % sizeof(T) == 0)
      return std::bit_cast<T>(__atomic_load_n(reinterpret_cast<word*>(at), __ATOMIC_SEQ_CST));
  }
  atomic_updates.take();
  const T now = *at;
  atomic_updates.release();
  return now;
}

// ---- types, by the names that the functions have for them

using fixed1 = std::int8_t;
using fixed2 = std::int16_t;
using fixed4 = std::int32_t;
using fixed8 = std::int64_t;
using fixed1u = std::uint8_t;
using fixed2u = std::uint16_t;
using fixed4u = std::uint32_t;
using fixed8u = std::uint64_t;
using float4 = float;
using float8 = double;
using float10 = long double;
// C's, which are not passed as C++'s are.
__extension__ typedef __complex__ float cmplx4;
__extension__ typedef __complex__ double cmplx8;
__extension__ typedef __complex__ long double cmplx10;

// ---- operations; on integers, the wrapping ones give the lowest bits of the result

#define OPERATION(name, value)           \
  struct name##_ {                       \
    template <class T>                   \
    T operator()(T a, T b) const {       \
      return static_cast<T>(value);      \
    }                                    \
  };
#define WRAPPING(name, sign)                                                                     \
  struct name##_ {                                                                               \
    template <class T>                                                                           \
    T operator()(T a, T b) const {                                                               \
      if constexpr (std::is_integral_v<T>)                                                       \
        return static_cast<T>(static_cast<std::uint64_t>(a) sign static_cast<std::uint64_t>(b)); \
      else                                                                                       \
        return a sign b;                                                                         \
    }                                                                                            \
  };
WRAPPING(add, +)
WRAPPING(sub, -)
WRAPPING(mul, *)
OPERATION(div, a / b)
OPERATION(andb, a & b)
OPERATION(orb, a | b)
OPERATION(xor, a ^ b)
OPERATION(neqv, a ^ b)
OPERATION(eqv, ~(a ^ b))
OPERATION(andl, a && b)
OPERATION(orl, a || b)
OPERATION(shl, static_cast<std::uint64_t>(a) << b)
OPERATION(shr, a >> b)
OPERATION(min, b < a ? b : a)
OPERATION(max, a < b ? b : a)
#undef WRAPPING
#undef OPERATION

using function = void (*)(void* into, void* a, void* b);

/// An operation of the program itself. Under a lock it works in place, because only the operation knows which bytes belong to the
/// object.
void update_locked(void* at, void* by, function of) {
  atomic_updates.take();
  of(at, at, by);
  atomic_updates.release();
}
template <class Word>
void update_word(void* at, void* by, function of) {
  update(static_cast<Word*>(at), [=](Word before) {
    Word after = before;
    of(&after, &before, by);
    return after;
  });
}

}  // namespace

extern "C" {

// x = x op e, and x = e op x; forms with a capture return the value after or before the update.

#define PLAIN(type, name)                                                  \
  void __kmpc_atomic_##type##_##name(source_line*, int, type* x, type e) { \
    update(x, [e](type now) { return name##_()(now, e); });                \
  }
#define REVERSED(type, name)                                                     \
  void __kmpc_atomic_##type##_##name##_rev(source_line*, int, type* x, type e) { \
    update(x, [e](type now) { return name##_()(e, now); });                      \
  }
#define MIXED(type, name, with)                                                                   \
  void __kmpc_atomic_##type##_##name##_##with(source_line*, int, type* x, with e) {               \
    update(x, [e](type now) { return static_cast<type>(name##_()(static_cast<with>(now), e)); }); \
  }
#define CAPTURED(type, name, value)                                                   \
  type __kmpc_atomic_##type##_##name(source_line*, int, type* x, type e, int after) { \
    const change<type> c = update(x, [e](type now) { return value; });                \
    return after != 0 ? c.after : c.before;                                           \
  }
#define CAPTURED_BY_ADDRESS(type, name, value)                                                 \
  void __kmpc_atomic_##type##_##name(source_line*, int, type* x, type e, type* v, int after) { \
    const change<type> c = update(x, [e](type now) { return value; });                         \
    *v = after != 0 ? c.after : c.before;                                                      \
  }

#define FORWARD(type, name) \
  PLAIN(type, name)         \
  CAPTURED(type, name##_cpt, name##_()(now, e))
#define BOTH_WAYS(type, name) \
  FORWARD(type, name)         \
  REVERSED(type, name)        \
  CAPTURED(type, name##_cpt_rev, name##_()(e, now))

#define READ_AND_WRITE(type)                                                     \
  type __kmpc_atomic_##type##_rd(source_line*, int, type* x) { return read(x); } \
  void __kmpc_atomic_##type##_wr(source_line*, int, type* x, type e) { update(x, [e](type) { return e; }); }
#define SWAP(type) \
  type __kmpc_atomic_##type##_swp(source_line*, int, type* x, type e) { return update(x, [e](type) { return e; }).before; }

#define INTEGER(type)      \
  FORWARD(type, add)       \
  BOTH_WAYS(type, sub)     \
  FORWARD(type, mul)       \
  BOTH_WAYS(type, div)     \
  FORWARD(type, andb)      \
  FORWARD(type, orb)       \
  FORWARD(type, xor)       \
  FORWARD(type, neqv)      \
  FORWARD(type, eqv)       \
  FORWARD(type, andl)      \
  FORWARD(type, orl)       \
  BOTH_WAYS(type, shl)     \
  BOTH_WAYS(type, shr)     \
  FORWARD(type, min)       \
  FORWARD(type, max)       \
  MIXED(type, mul, float8) \
  MIXED(type, div, float8) \
  BOTH_WAYS(type##u, div)  \
  BOTH_WAYS(type##u, shr)  \
  READ_AND_WRITE(type)     \
  SWAP(type)
INTEGER(fixed1)
INTEGER(fixed2)
INTEGER(fixed4)
INTEGER(fixed8)
#undef INTEGER

#define FLOATING(type) \
  FORWARD(type, add)   \
  BOTH_WAYS(type, sub) \
  FORWARD(type, mul)   \
  BOTH_WAYS(type, div) \
  FORWARD(type, min)   \
  FORWARD(type, max)   \
  READ_AND_WRITE(type) \
  SWAP(type)
FLOATING(float4)
FLOATING(float8)
FLOATING(float10)
#undef FLOATING
MIXED(float4, add, float8)
MIXED(float4, sub, float8)
MIXED(float4, mul, float8)
MIXED(float4, div, float8)

#define COMPLEX(type)  \
  FORWARD(type, add)   \
  BOTH_WAYS(type, sub) \
  FORWARD(type, mul)   \
  BOTH_WAYS(type, div) \
  SWAP(type)           \
  READ_AND_WRITE(type)
COMPLEX(cmplx8)
COMPLEX(cmplx10)
#undef COMPLEX
// These functions store the captured value at an address.
READ_AND_WRITE(cmplx4)
void __kmpc_atomic_cmplx4_swp(source_line*, int, cmplx4* x, cmplx4 e, cmplx4* v) {
  *v = update(x, [e](cmplx4) { return e; }).before;
}
#define COMPLEX4(name)         \
  PLAIN(cmplx4, name)          \
  MIXED(cmplx4, name, cmplx8)  \
  CAPTURED_BY_ADDRESS(cmplx4, name##_cpt, name##_()(now, e))
#define COMPLEX4_REVERSED(name) \
  REVERSED(cmplx4, name)        \
  CAPTURED_BY_ADDRESS(cmplx4, name##_cpt_rev, name##_()(e, now))
COMPLEX4(add)
COMPLEX4(sub)
COMPLEX4(mul)
COMPLEX4(div)
COMPLEX4_REVERSED(sub)
COMPLEX4_REVERSED(div)

// if (x == e) x = d [OpenMP 5.2, 15.8.4]
#define COMPARE(bytes, type)                                                                       \
  bool __kmpc_atomic_bool_##bytes##_cas(source_line*, int, type* x, type e, type d) {              \
    return update(x, [=](type now) { return now == e ? d : now; }).before == e;                    \
  }                                                                                                \
  type __kmpc_atomic_val_##bytes##_cas(source_line*, int, type* x, type e, type d) {               \
    return update(x, [=](type now) { return now == e ? d : now; }).before;                         \
  }                                                                                                \
  bool __kmpc_atomic_bool_##bytes##_cas_cpt(source_line*, int, type* x, type e, type d, type* v) { \
    const type before = update(x, [=](type now) { return now == e ? d : now; }).before;            \
    if (before != e) *v = before; /* only if it fails */                                           \
    return before == e;                                                                            \
  }                                                                                                \
  type __kmpc_atomic_val_##bytes##_cas_cpt(source_line*, int, type* x, type e, type d, type* v) {  \
    const change<type> c = update(x, [=](type now) { return now == e ? d : now; });                \
    *v = c.after;                                                                                  \
    return c.before;                                                                               \
  }
COMPARE(1, fixed1)
COMPARE(2, fixed2)
COMPARE(4, fixed4)
COMPARE(8, fixed8)
#undef COMPARE

#define OF_WORD(bytes)                                                           \
  void __kmpc_atomic_##bytes(source_line*, int, void* x, void* e, function of) { \
    update_word<word_of<bytes>::type>(x, e, of);                                 \
  }
OF_WORD(1)
OF_WORD(2)
OF_WORD(4)
OF_WORD(8)
#undef OF_WORD
#define LOCKED(bytes) \
  void __kmpc_atomic_##bytes(source_line*, int, void* x, void* e, function of) { update_locked(x, e, of); }
LOCKED(10)
LOCKED(16)
LOCKED(20)
LOCKED(32)
#undef LOCKED

void __kmpc_atomic_start(void) { atomic_updates.take(); }
void __kmpc_atomic_end(void) { atomic_updates.release(); }

}  // extern "C"
