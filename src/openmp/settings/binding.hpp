// The variables that bind threads to places: OMP_PROC_BIND and OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY.
#pragma once

#include "openmp/places/places.hpp"
#include "openmp/settings/variables.hpp"

namespace weir::openmp {

/// The value of KMP_AFFINITY: [modifier,...]type[,permute][,offset]
struct kmp_affinity {
  enum class arrangement { none, compact, scatter, balanced, explicit_ };
  arrangement type = arrangement::none;
  std::string granularity = "cores";  // a word of OMP_PLACES
  std::string proclist;
  int permute = 0, offset = 0;
  bool verbose = false, warnings = true, resets = false;
  std::vector<std::string> unsupported;  // words that have no effect
};

std::optional<kmp_affinity> parse_kmp_affinity(std::string_view);

/// Its places, one for each thread in turn; nothing if its proclist is malformed.
std::optional<place_list> places_of(const kmp_affinity&, const machine_view&);

/// Sets proc_bind and places, and display_affinity if KMP_AFFINITY is verbose.
void read_binding(const variables&, const machine_view&, settings&);

}  // namespace weir::openmp
