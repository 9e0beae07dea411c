// The forms that a routine of the API is found in.
#pragma once

#include <algorithm>
#include <limits>

namespace weir::openmp {
/// An integer of a program whose default integers are of 64 bits. Where it does not fit, the nearest: cut off it could be one
/// that means something.
inline int narrow(long wide) {
  return static_cast<int>(std::clamp<long>(wide, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}
}  // namespace weir::openmp

// Fortran's name takes a reference; with -fdefault-integer-8 it is another name.
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

// Under which names and versions a routine is found: GCC's programs ask for the version of OpenMP that brought it, Clang's for
// another (exports.map). So the functions themselves have names of their own: the linker takes two versions of one name, one of
// them the function's own, for two definitions.
#define FOUND_AS(name, versioned) __asm__(".symver weir_" #name ", " #name versioned);
#define FOUND_IN_BOTH(name, openmp) FOUND_AS(name, "@@VERSION") FOUND_AS(name, "@" openmp)
