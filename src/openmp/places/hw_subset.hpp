// KMP_HW_SUBSET: the part of the machine that a program uses, as in 1s,4c,1t. LLVM's and Intel's runtime have it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "openmp/places/locations.hpp"

namespace weir::openmp {

/// How many parts of a kind, of each part around them, and how many are left out before.
struct hw_layer {
  enum class kind { socket, numa_domain, ll_cache, core, thread };  // the first are around the others
  kind of;
  std::optional<int> count;  // nothing: all
  int offset = 0;
};

/// Nothing if it is malformed, or names a kind of part that is not known, or one twice.
std::optional<std::vector<hw_layer>> parse_hw_subset(std::string_view);

/// The processors of such a part, ascending. Nothing: some part has fewer.
std::optional<std::vector<int>> processors_of(const std::vector<hw_layer>&, std::vector<location> locations);

/// The calling thread, and all that it creates, may run on such a part only, if the variable is set. Called when the library is
/// loaded, before anybody asks which processors the program may use.
void restrict_to_hw_subset();
/// The variable asked for more than there is, so it was ignored.
bool asked_for_too_much();

}  // namespace weir::openmp
