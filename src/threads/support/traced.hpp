// Who looks at the process's system calls and signals. Both read a file.
#pragma once

namespace weir::threads {

/// Is the process under a debugger?
bool is_traced();
/// Does a filter look at its system calls (seccomp)?
bool has_filter_of_calls();

}  // namespace weir::threads
