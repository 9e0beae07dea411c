// Memory that the program has freed, and may want again at once.
#pragma once

namespace weir::openmp {

/// Has the C library keep what is freed in blocks of up to 32 MB, as it does by itself once a program has freed one of that size. Else
/// a program whose teams compute on a few temporary arrays at a time may fault them all in for each operation, and which does is luck:
/// it depends on what small block happens to lie behind them. What the environment or the program has set for malloc is in force.
void keep_freed_memory();

}  // namespace weir::openmp
