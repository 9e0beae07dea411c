#include "openmp/support/stop.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace weir::openmp {

namespace {
// In one piece, since other threads may be writing too.
void report(const char* why, std::va_list values) {
  char line[1024];
  std::vsnprintf(line, sizeof line, why, values);
  std::fprintf(stderr, "weir: %s\n", line);
}
}  // namespace

void stop(const char* why, ...) {
  std::va_list values;
  va_start(values, why);
  report(why, values);
  va_end(values);
  std::abort();
}

void end_program(const char* why, ...) {
  std::va_list values;
  va_start(values, why);
  report(why, values);
  va_end(values);
  std::exit(1);
}

void warn_for_program(const char* where, const char* message, int length) {
  std::fprintf(stderr, "weir: %sthe program warns: %.*s\n", where, length, message);
}
void end_for_program(const char* where, const char* message, int length) {
  end_program("%sthe program ends itself: %.*s", where, length, message);
}

}  // namespace weir::openmp
