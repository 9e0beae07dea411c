// The settings of this process, read from its environment when the runtime is loaded.
#pragma once

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

/// Read once. Malformed values have been reported, and the display that OMP_DISPLAY_ENV asks for has been written. Thread-safe.
const settings& initial_settings();

}  // namespace weir::openmp
