// A simulated environment on a simulated machine.
#pragma once

#include <initializer_list>
#include <map>
#include <string>

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

using environment = std::map<std::string, std::string>;

/// Two sockets with two cores each, two threads per core. As on most machines, the second threads of all cores are numbered
/// after all first ones: core c has the processors c and c + 4. Each socket has a last-level cache; all share one memory.
inline machine_view eight_processors() {
  return {{0, 1, 2, 3, 4, 5, 6, 7}, 8, [] {
            std::vector<location> processors;
            for (int core = 0; core < 4; ++core)
              for (int thread = 0; thread < 2; ++thread)
                processors.push_back({core + 4 * thread, thread, core, core / 2, core / 2, 0});
            return processors;
          }};
}

inline settings read(const environment& variables, const machine_view& machine = eight_processors()) {
  const lookup find = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return read_settings(find, {{"sense", "dissemination"}, {"sense", "tree"}}, machine);
}

using strings = std::vector<std::string>;

inline std::string not_understood(const std::string& name, const std::string& value, const std::string& expected) {
  return name + "=\"" + value + "\" is not understood: expected " + expected + "; it is ignored";
}

}  // namespace weir::openmp
