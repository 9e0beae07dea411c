// What this process's environment says, read when the runtime is loaded.
#pragma once

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

/// Read once; what was malformed has been complained of, and OMP_DISPLAY_ENV been heeded. Thread-safe.
const settings& initial_settings();

}  // namespace weir::openmp
