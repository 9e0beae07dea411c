// The affinity format: a text with fields, which are replaced by facts about a thread [OpenMP 5.2, 21.2.6].
#pragma once

#include <string>
#include <string_view>

namespace weir::openmp {

/// The facts that fields stand for.
struct affinity_facts {
  int team = 0, teams = 1, level = 0, thread = 0, threads = 1, ancestor = -1;
  std::string host_name;
  long process = 0, native_thread = 0;
  std::string processors;  ///< as in 0-3,7
};

/// %[[[0].]size]type, the type being a letter or a {name}; %% is a percent sign. An unknown field becomes "undefined".
std::string in_format(std::string_view format, const affinity_facts&);

}  // namespace weir::openmp
