// A failing schedule, made simpler and told as a table.
#pragma once

#include "explorer.hpp"

namespace weir::explorer {

/// What happens on a schedule; the moves that are not possible are left out. Stops at the first breach, or,
/// when it is at an end, looks whether somebody waits for ever.
breach replay(rules& r, std::vector<move>& schedule);

/// Shortens v.schedule, and fills in v.violated and v.timeline.
void explain(rules& r, verdict& v);

}  // namespace weir::explorer
