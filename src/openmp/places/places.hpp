// Places: explicit lists of them, and the places that a machine has.
#pragma once

#include <string_view>

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

using place = std::vector<int>;  // processors, ascending

struct place_list {
  std::vector<place> places;
  std::vector<int> missing;  // named, but not in the affinity mask; in no place
};

/// OMP_PLACES: `{0,1},{2:4:2},{0:2}:3:2,!{3}`, or `cores`, `sockets(2)` and so on. Nothing where malformed.
std::optional<place_list> parse_places(std::string_view, const machine_view&);

/// GOMP_CPU_AFFINITY: `0-3:2 7`, a place for each processor.
std::optional<place_list> parse_processor_list(std::string_view, const machine_view&);

/// A proclist of KMP_AFFINITY without its brackets: `0,{1,2},4-6:2`.
std::optional<place_list> parse_proclist(std::string_view, const machine_view&);

/// Groups what the affinity mask has by threads, cores, sockets, ll_caches or numa_domains; empty for other words.
std::vector<place> places_named(const std::string& word, const std::vector<location>&);

/// Ascending numbers as in 1-3,7.
std::string ranges(const std::vector<int>& numbers);

/// Where these processors lie, as the kernel says below `root`/sys/devices/system, in the machine's own order: neighbours are near
/// each other. What it does not say of a processor is a core of its own, and the socket and the memory of all others. A file is read
/// once for all that share a core, a socket, a cache or a memory: those who start a program wait for it.
std::vector<location> read_locations(const std::vector<int>& processors, const std::string& root);

/// Of the processors in the affinity mask, in the machine's own order: neighbours are near each other.
/// A machine that does not say is taken for one socket of single-threaded cores.
std::vector<location> locations_of(const machine_view&);

}  // namespace weir::openmp
