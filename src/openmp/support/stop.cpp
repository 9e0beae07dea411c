#include "openmp/support/stop.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "openmp/support/call_site.hpp"

namespace weir::openmp {

namespace {
// In one piece, since other threads may be writing too.
void report(const char* why, std::va_list values) {
  char line[1024];
  std::vsnprintf(line, sizeof line, why, values);
  std::fprintf(stderr, "weir: %s\n", line);
}
const char* place_of(const char* where) { return where != nullptr ? where : place_of_call().c_str(); }
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

void warn(const char* why, ...) {
  std::va_list values;
  va_start(values, why);
  report(why, values);
  va_end(values);
}

void warn_for_program(const char* where, const char* message, int length) {
  warn("error directive at %s: the program warns%s%.*s", place_of(where), length > 0 ? ": " : "", length, message);
}
void end_for_program(const char* where, const char* message, int length) {
  end_program("error directive at %s: the program ends itself%s%.*s", place_of(where), length > 0 ? ": " : "", length, message);
}

}  // namespace weir::openmp
