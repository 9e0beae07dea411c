// Standard error as it was when the program began: a program may close it, or replace it, before it ends.
#pragma once

#include <string_view>

namespace weir::openmp {

/// Keeps a copy of the descriptor, which programs that are executed do not inherit. Not thread-safe; called once, when the
/// library is loaded.
void keep_error_output();
/// Writes to what has been kept, and nowhere if the program has closed the copy as well. Async-signal-safe.
void write_to_kept_error_output(std::string_view text);

}  // namespace weir::openmp
