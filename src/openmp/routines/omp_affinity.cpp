// The routines of the OpenMP API for the affinity format. In LLVM's <omp.h> the names for C begin with ompc. For Fortran the
// length of a text follows all other arguments.
#include <algorithm>
#include <cstring>

#include "openmp/placing/affinity_display.hpp"
#include "openmp/routines/forms.hpp"

using namespace weir::openmp;

namespace {

std::string_view view(const char* text) { return text != nullptr ? text : ""; }

/// As much as fits, with a zero at the end. Returns the length of the whole text.
std::size_t into_c(const std::string& text, char* buffer, std::size_t size) {
  if (buffer != nullptr && size > 0) {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}

/// The same, filled up with blanks.
std::size_t into_fortran(const std::string& text, char* buffer, std::size_t size) {
  const std::size_t length = std::min(text.size(), size);
  std::memcpy(buffer, text.data(), length);
  std::memset(buffer + length, ' ', size - length);
  return text.size();
}

}  // namespace

extern "C" {

void weir_omp_set_affinity_format(const char* format) { set_affinity_format(view(format)); }
std::size_t weir_omp_get_affinity_format(char* buffer, std::size_t size) { return into_c(affinity_format(), buffer, size); }
void weir_omp_display_affinity(const char* format) { show_affinity(self(), view(format)); }
std::size_t weir_omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return into_c(affinity_text(self(), view(format)), buffer, size);
}

void weir_omp_set_affinity_format_(const char* format, std::size_t length) { set_affinity_format({format, length}); }
std::size_t weir_omp_get_affinity_format_(char* buffer, std::size_t size) {
  return into_fortran(affinity_format(), buffer, size);
}
void weir_omp_display_affinity_(const char* format, std::size_t length) { show_affinity(self(), {format, length}); }
std::size_t weir_omp_capture_affinity_(char* buffer, const char* format, std::size_t size, std::size_t length) {
  return into_fortran(affinity_text(self(), {format, length}), buffer, size);
}

void ompc_set_affinity_format(const char* format) { weir_omp_set_affinity_format(format); }
std::size_t ompc_get_affinity_format(char* buffer, std::size_t size) { return weir_omp_get_affinity_format(buffer, size); }
void ompc_display_affinity(const char* format) { weir_omp_display_affinity(format); }
std::size_t ompc_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return weir_omp_capture_affinity(buffer, size, format);
}

}  // extern "C"

FOUND_IN_BOTH(omp_capture_affinity, "OMP_5.0")
FOUND_IN_BOTH(omp_capture_affinity_, "OMP_5.0")
FOUND_IN_BOTH(omp_display_affinity, "OMP_5.0")
FOUND_IN_BOTH(omp_display_affinity_, "OMP_5.0")
FOUND_IN_BOTH(omp_get_affinity_format, "OMP_5.0")
FOUND_IN_BOTH(omp_get_affinity_format_, "OMP_5.0")
FOUND_IN_BOTH(omp_set_affinity_format, "OMP_5.0")
FOUND_IN_BOTH(omp_set_affinity_format_, "OMP_5.0")
