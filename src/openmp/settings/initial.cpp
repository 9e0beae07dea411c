#include "openmp/settings/initial.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <weir/team_barrier.hpp>

#include "openmp/places/hw_subset.hpp"
#include "openmp/places/made_for.hpp"
#include "system/made_once.hpp"

namespace weir::openmp {

namespace {

settings read() {
  barrier_names barriers;
  for (const algorithm& a : algorithms()) {
    barriers.whole.push_back(a.name);
    if (a.halves) barriers.halved.push_back(a.name);
  }
  settings s = read_settings([](const char* name) { return std::getenv(name); }, barriers);
  if (asked_for_too_much())
    s.warnings.push_back("KMP_HW_SUBSET asks for more than the machine has, or this program may use; it is ignored");
  for (const std::string& warning : s.warnings) std::fprintf(stderr, "weir: %s\n", warning.c_str());
  if (s.display_env != display::no) std::fputs(show(s).c_str(), stderr);
  return s;
}

bool reads_again = false;  // written while the program is loaded

[[gnu::constructor]] void when_loaded() {
  (void)initial_settings();
  reads_again = !is_made_for_gcc();
}

settings read_again() {
  settings s = read_settings([](const char* name) { return std::getenv(name); }, {});
  // Here, since ThreadSanitizer sees memcmp() in other threads, and not what orders it.
  if (s.num_threads == initial_settings().num_threads) s.num_threads.clear();
  const auto& known = initial_settings().warnings;
  for (const char* name : {"OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_DYNAMIC", "OMP_MAX_ACTIVE_LEVELS"})
    for (const std::string& warning : s.warnings)
      if (warning.starts_with(name) && std::ranges::find(known, warning) == known.end())
        std::fprintf(stderr, "weir: %s\n", warning.c_str());
  return s;
}

}  // namespace

const settings& initial_settings() {
  static constinit made_once<settings> s;
  return s(read);
}

const settings& settings_at_first_use() {
  if (!reads_again) return initial_settings();
  static constinit made_once<settings> s;
  return s(read_again);
}

}  // namespace weir::openmp
