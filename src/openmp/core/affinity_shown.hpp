// What is told of where threads run: affinity-format-var, and OMP_DISPLAY_AFFINITY.
#pragma once

#include <string>
#include <string_view>

#include "openmp/core/team.hpp"

namespace weir::openmp {

std::string affinity_format();
void set_affinity_format(std::string_view);

/// Of the caller, who is `me`, in this format; in affinity-format-var's where it is empty.
std::string affinity_text(const member& me, std::string_view format = {});
/// A line on the standard error output.
void show_affinity(const member& me, std::string_view format = {});

/// Is the region to be shown that `parent`, the caller, opens with this team? Its first one, and where the team is another than that
/// of the last one or its members have moved: as long as they are more than one.
bool is_news(member& parent, const team& t, bool moved);

}  // namespace weir::openmp
