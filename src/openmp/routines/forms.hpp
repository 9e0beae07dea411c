// The forms of a routine of the API: C, Fortran, and the symbol versions of both.
#pragma once

#include <algorithm>
#include <limits>

namespace weir::openmp {
/// An argument of a program whose default integers have 64 bits. A value that does not fit becomes the nearest that does:
/// truncated it might become a valid one.
inline int narrow(long wide) {
  return static_cast<int>(std::clamp<long>(wide, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}
}  // namespace weir::openmp

// The Fortran form takes references; with -fdefault-integer-8 it has another name.
#define ASKS(type, name, value)      \
  extern "C" type name(void);        \
  type name(void) { return value; }  \
  extern "C" type name##_(void);     \
  type name##_(void) { return value; }
#define TAKES_INT(name, action)            \
  extern "C" void name(int);               \
  void name(int it) { action; }            \
  extern "C" void name##_(const int*);     \
  void name##_(const int* at) {            \
    const int it = *at;                    \
    action;                                \
  }                                        \
  extern "C" void name##_8_(const long*);  \
  void name##_8_(const long* at) {         \
    const int it = weir::openmp::narrow(*at); \
    action;                                \
  }
#define ASKS_INT(name, value)              \
  extern "C" int name(int);                \
  int name(int it) { return value; }       \
  extern "C" int name##_(const int*);      \
  int name##_(const int* at) {             \
    const int it = *at;                    \
    return value;                          \
  }                                        \
  extern "C" int name##_8_(const long*);   \
  int name##_8_(const long* at) {          \
    const int it = weir::openmp::narrow(*at); \
    return value;                          \
  }

// The symbol versions of a routine: GCC's programs ask for the version of OpenMP that introduced it, Clang's for another one
// (exports.map). The functions themselves have other names, because the linker takes a function's own name together with a
// version of it for two definitions.
#define FOUND_FOR(function, name, versioned) __asm__(".symver " #function ", " #name versioned);
#define FOUND_AS(name, versioned) FOUND_FOR(weir_##name, name, versioned)
#define FOUND_IN_BOTH(name, openmp) FOUND_AS(name, "@@VERSION") FOUND_AS(name, "@" openmp)
