// Memory that the program has freed, and may want again at once.
#pragma once

namespace weir::openmp {

/// Has the C library keep 16 MB of what is freed, as it does by itself once a program has freed a block of 8 MB. Else a program whose
/// teams compute on a few temporary arrays at a time may fault them all in for each operation, and which does is luck: it depends on
/// what small block happens to lie behind them. What the environment or the program has set for malloc stays in force.
void keep_freed_memory();

}  // namespace weir::openmp
