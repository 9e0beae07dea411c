// Settings of the whole program that routines may change while it runs; until then the environment's hold.
#pragma once

#include <cstddef>
#include <optional>

namespace weir::openmp {

/// How long a thread waits awake; block_never: always; nothing: unspecified.
std::optional<int> blocktime_ms();
void set_blocktime_ms(int);

/// For threads that are created from now on. 0: the system's default.
std::size_t stack_bytes();
void set_stack_bytes(std::size_t);

}  // namespace weir::openmp
