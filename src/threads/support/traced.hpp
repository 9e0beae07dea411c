// Does a debugger see the process's signals?
#pragma once

namespace weir::threads {

/// Is the process under a debugger? Reads a file.
bool is_traced();

}  // namespace weir::threads
