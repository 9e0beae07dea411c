#include "settings_now.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <weir/machine/processors.hpp>

namespace weir::openmp {

namespace {
settings read() {
  settings s;
  if (const char* text = std::getenv("OMP_NUM_THREADS"))
    for (char* end = nullptr; *text != 0; text = *end == ',' ? end + 1 : end) {
      const long n = std::strtol(text, &end, 10);
      if (end == text || n < 1) break;
      s.num_threads.push_back(static_cast<int>(std::min(n, 65535L)));
    }
  s.max_active_levels = s.num_threads.size() > 1 ? static_cast<int>(s.num_threads.size()) : 1;
  if (const char* text = std::getenv("OMP_MAX_ACTIVE_LEVELS")) s.max_active_levels = std::max(0, std::atoi(text));
  if (const char* text = std::getenv("WEIR_BARRIER")) s.barrier = text;
  return s;
}
}  // namespace

const settings& initial_settings() {
  static const settings s = read();
  return s;
}

int default_threads(unsigned level) {
  const auto& by_level = initial_settings().num_threads;
  if (!by_level.empty()) return by_level[std::min<std::size_t>(level, by_level.size() - 1)];
  // A quota of 1.5 processors is worth a second thread.
  static const int here = std::max(1, static_cast<int>(std::ceil(usable_processors())));
  return here;
}

}  // namespace weir::openmp
