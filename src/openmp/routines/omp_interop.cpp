// The routines of the OpenMP API for interoperability objects. There are none, since there is no device [OpenMP 5.2, 18.12].
#include <cstddef>
#include <cstdint>

#include "openmp/routines/forms.hpp"

namespace {

constexpr int irc_empty = -1;  // the object is omp_interop_none

void say_empty(int* code) {
  if (code != nullptr) *code = irc_empty;
}

void no_text(const char** text, std::size_t* length) {
  *text = nullptr;
  *length = 0;
}

}  // namespace

// An object is an address. LLVM's forms for C and Fortran have the same arguments; only `code` is used.
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
#undef OF_NONE

// GCC's Fortran calls those of C, except for texts, which are pointers to characters.
extern "C" {
void weir_gcc_omp_get_interop_name_(const char** text, std::size_t* length, const void*, int) { no_text(text, length); }
void weir_gcc_omp_get_interop_rc_desc_(const char** text, std::size_t* length, const void*, int) { no_text(text, length); }
void weir_gcc_omp_get_interop_str_(const char** text, std::size_t* length, const void*, int, int* code) {
  no_text(text, length);
  say_empty(code);
}
void weir_gcc_omp_get_interop_type_desc_(const char** text, std::size_t* length, const void*, int) { no_text(text, length); }
}
FOUND_FOR(weir_gcc_omp_get_interop_name_, omp_get_interop_name_, "@GOMP_5.1.3")
FOUND_FOR(weir_gcc_omp_get_interop_rc_desc_, omp_get_interop_rc_desc_, "@GOMP_5.1.3")
FOUND_FOR(weir_gcc_omp_get_interop_str_, omp_get_interop_str_, "@GOMP_5.1.3")
FOUND_FOR(weir_gcc_omp_get_interop_type_desc_, omp_get_interop_type_desc_, "@GOMP_5.1.3")
FOUND_AS(omp_get_interop_int, "@GOMP_5.1.3")
FOUND_AS(omp_get_interop_name, "@GOMP_5.1.3")
FOUND_AS(omp_get_interop_ptr, "@GOMP_5.1.3")
FOUND_AS(omp_get_interop_rc_desc, "@GOMP_5.1.3")
FOUND_AS(omp_get_interop_str, "@GOMP_5.1.3")
FOUND_AS(omp_get_interop_type_desc, "@GOMP_5.1.3")
FOUND_AS(omp_get_num_interop_properties, "@GOMP_5.1.3")
