// MPI's functions are called by their profiling names (PMPI_*): a tool that counts a program's calls must not count Weir's, and
// libweir-mpi.so, which replaces MPI_Barrier, must not call itself.
#pragma once

#include <mpi.h>

#include <string>

#include <weir/mpi.hpp>

namespace weir::mpi {

std::string text_of(int code);

/// Throws weir::mpi::error unless `code` is MPI_SUCCESS. `doing`: the operation, for the error message.
inline void check(int code, const char* doing) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw error(code, std::string("weir: ") + doing + ": " + text_of(code));
}

}  // namespace weir::mpi
