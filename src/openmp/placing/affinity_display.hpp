// Displays of thread affinity: affinity-format-var, and OMP_DISPLAY_AFFINITY.
#pragma once

#include <string>
#include <string_view>

#include "openmp/teams/team.hpp"

namespace weir::openmp {

std::string affinity_format();
void set_affinity_format(std::string_view);

/// The caller's affinity in this format, or in affinity-format-var if the format is empty.
std::string affinity_text(const member& me, std::string_view format = {});
/// The same as a line on the standard error output.
void show_affinity(const member& me, std::string_view format = {});

/// Must the affinity be shown of the region that the caller encounters with this team? Yes for the calling thread's first region,
/// and later where the level or the number of members differs from that of its last region, or the team has `moved`.
bool is_to_be_shown(const team& t, bool moved);

}  // namespace weir::openmp
