// The settings of this process, read from its environment when the runtime is loaded.
#pragma once

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

/// Read once. Malformed values have been reported, and the display that OMP_DISPLAY_ENV asks for has been written. Thread-safe.
const settings& initial_settings();

/// The same, read anew when this is first asked, if the program was not linked with GCC's runtime: LLVM's reads at its first
/// call, and a module of Python may come after the script has set variables. For what control variables begin with; the rest is
/// as it was. `num_threads` is empty if it is the same as before. Thread-safe.
const settings& settings_at_first_use();

}  // namespace weir::openmp
