// The results of a run, as JSON (docs/records.md).
#pragma once

#include <nlohmann/json.hpp>

#include "run.hpp"

namespace weir::simulator {

/// `lines`: how many cache lines to include, those with most misses first.
nlohmann::ordered_json outcome(const scenario& s, const simulation& machine, const run_result& r, std::size_t lines);

}  // namespace weir::simulator
