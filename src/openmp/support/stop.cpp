#include "openmp/support/stop.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace weir::openmp {

namespace {
// In one piece: other threads may be writing too.
void say(const char* why, std::va_list words) {
  char line[512];
  std::vsnprintf(line, sizeof line, why, words);
  std::fprintf(stderr, "weir: %s\n", line);
}
}  // namespace

void stop(const char* why, ...) {
  std::va_list words;
  va_start(words, why);
  say(why, words);
  va_end(words);
  std::abort();
}

void end_program(const char* why, ...) {
  std::va_list words;
  va_start(words, why);
  say(why, words);
  va_end(words);
  std::exit(1);
}

}  // namespace weir::openmp
