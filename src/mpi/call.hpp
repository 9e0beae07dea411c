// MPI's functions by their profiling names: a tool that counts a program's calls shall not count ours, and libweir-mpi.so, which
// takes MPI_Barrier's place, shall not meet itself.
#pragma once

#include <mpi.h>

#include <string>

#include <weir/mpi.hpp>

namespace weir::mpi {

std::string text_of(int code);

/// Throws weir::mpi::error where `code` is not MPI_SUCCESS. `doing`: what we were at, for a person to read.
inline void check(int code, const char* doing) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw error(code, std::string("weir: ") + doing + ": " + text_of(code));
}

}  // namespace weir::mpi
