// Memory that the program has freed, and may allocate again at once.
#pragma once

namespace weir::openmp {

/// Makes the C library keep 16 MB of freed memory, as it does by itself once a program has freed a block of 8 MB. Otherwise a
/// program whose teams compute on a few temporary arrays at a time may have page faults on all of them in each operation,
/// depending on which small block happens to lie behind them. Settings of malloc by the environment or the program remain in
/// force.
void keep_freed_memory();

}  // namespace weir::openmp
