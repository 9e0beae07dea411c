#include "threads/support/traced.hpp"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace weir::threads {

namespace {
/// Does /proc/self/status have something else than a zero behind this name, or does it not tell?
bool status_has(const char* name) {
  char text[4096];
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0) close(file);
  text[std::max<ssize_t>(n, 0)] = 0;
  const char* const at = std::strstr(text, name);
  return at == nullptr || at[std::strlen(name)] != '0';
}
}  // namespace

bool is_traced() { return status_has("\nTracerPid:\t"); }
bool has_filter_of_calls() { return status_has("\nSeccomp:\t"); }

}  // namespace weir::threads
