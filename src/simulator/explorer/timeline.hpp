// A failing schedule, simplified and shown as a table.
#pragma once

#include "explorer.hpp"

namespace weir::explorer {

/// Runs a schedule, without the moves that are not possible. Stops at the first breach; at the end, checks whether a member waits
/// for ever.
breach replay(rules& r, std::vector<move>& schedule);

/// Shortens v.schedule, and fills in v.violated and v.timeline.
void explain(rules& r, verdict& v);

}  // namespace weir::explorer
