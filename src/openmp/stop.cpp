#include "stop.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace weir::openmp {

void stop(const char* why, ...) {
  va_list words;
  va_start(words, why);
  char line[512];  // in one piece: other threads may be writing too
  std::vsnprintf(line, sizeof line, why, words);
  va_end(words);
  std::fprintf(stderr, "weir: %s\n", line);
  std::abort();
}

}  // namespace weir::openmp
