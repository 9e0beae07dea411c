// Settings of the whole program that LLVM's routines change while it runs; before, they are the environment's.
#pragma once

#include <cstddef>
#include <optional>

namespace weir::openmp {

/// How long a thread waits awake: block_never where always; nothing where nobody has said.
std::optional<int> blocktime_ms();
void set_blocktime_ms(int);

/// Of threads that are made from now on. 0: the system's.
std::size_t stack_bytes();
void set_stack_bytes(std::size_t);

}  // namespace weir::openmp
