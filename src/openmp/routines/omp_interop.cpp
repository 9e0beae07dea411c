// The routines of the OpenMP API for interoperability objects. There are none, since there is no device [OpenMP 5.2, 18.12].
#include <cstdint>

#include "openmp/routines/forms.hpp"

namespace {

constexpr int irc_empty = -1;  // the object is omp_interop_none

void say_empty(int* code) {
  if (code != nullptr) *code = irc_empty;
}

}  // namespace

// An object is an address. The forms for C and Fortran have the same arguments; only `code` is used.
#define OF_NONE(name)                                                            \
  extern "C" {                                                                   \
  int weir_omp_get_num_interop_properties##name(const void*) { return 0; }       \
  std::intptr_t weir_omp_get_interop_int##name(const void*, long, int* code) {   \
    say_empty(code);                                                             \
    return 0;                                                                    \
  }                                                                              \
  void* weir_omp_get_interop_ptr##name(const void*, long, int* code) {           \
    say_empty(code);                                                             \
    return nullptr;                                                              \
  }                                                                              \
  const char* weir_omp_get_interop_str##name(const void*, long, int* code) {     \
    say_empty(code);                                                             \
    return nullptr;                                                              \
  }                                                                              \
  const char* weir_omp_get_interop_name##name(const void*, long) { return nullptr; }      \
  const char* weir_omp_get_interop_type_desc##name(const void*, long) { return nullptr; } \
  const char* weir_omp_get_interop_rc_desc##name(const void*, long) { return nullptr; }   \
  }                                                                              \
  FOUND_AS(omp_get_interop_int##name, "@@VERSION")                               \
  FOUND_AS(omp_get_interop_name##name, "@@VERSION")                              \
  FOUND_AS(omp_get_interop_ptr##name, "@@VERSION")                               \
  FOUND_AS(omp_get_interop_rc_desc##name, "@@VERSION")                           \
  FOUND_AS(omp_get_interop_str##name, "@@VERSION")                               \
  FOUND_AS(omp_get_interop_type_desc##name, "@@VERSION")                         \
  FOUND_AS(omp_get_num_interop_properties##name, "@@VERSION")
OF_NONE()
OF_NONE(_)
