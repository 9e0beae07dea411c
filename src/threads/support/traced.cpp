#include "threads/support/traced.hpp"

#include <cstring>

#include "machine/read_by_kernel.hpp"

namespace weir::threads {

namespace {
/// Does /proc/self/status have something else than a zero behind this name, or does it not tell?
bool status_has(const char* name) {
  char text[4096];
  text_by_kernel("/proc/self/status", text);
  const char* const at = std::strstr(text, name);
  return at == nullptr || at[std::strlen(name)] != '0';
}
}  // namespace

bool is_traced() { return status_has("\nTracerPid:\t"); }
bool has_filter_of_calls() { return status_has("\nSeccomp:\t"); }

}  // namespace weir::threads
