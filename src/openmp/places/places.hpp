// Lists of places, as users write them or as the machine has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openmp/places/locations.hpp"

namespace weir::openmp {

using place = std::vector<int>;  // processors, ascending

struct place_list {
  std::vector<place> places;
  std::vector<int> missing;  // processors that the list names and the affinity mask lacks; they are in no place
};

/// OMP_PLACES: `{0,1},{2:4:2},{0:2}:3:2,!{3}`, or `cores`, `sockets(2)` and so on. Nothing if it is malformed.
std::optional<place_list> parse_places(std::string_view, const machine_view&);

/// GOMP_CPU_AFFINITY: `0-3:2 7`, a place for each processor.
std::optional<place_list> parse_processor_list(std::string_view, const machine_view&);

/// A proclist of KMP_AFFINITY without its brackets: `0,{1,2},4-6:2`.
std::optional<place_list> parse_proclist(std::string_view, const machine_view&);

/// Groups processors by threads, cores, sockets, ll_caches or numa_domains; empty for other words.
std::vector<place> places_named(const std::string& word, const std::vector<location>&);

/// Ascending numbers in the form 1-3,7.
std::string ranges(const std::vector<int>& numbers);

}  // namespace weir::openmp
