// The clause num_threads, as Clang compiles it: calls before the call of the region say what the clause asks for.
#pragma once

#include <utility>

#include "openmp/forking/region.hpp"

namespace weir::openmp {

/// For the next region of the thread. 0: it has no such clause.
extern constinit thread_local unsigned asked_for;
/// What the clause says besides the number; null: nothing.
extern constinit thread_local thread_demand* demanded;

inline void ask_for_nothing() {
  asked_for = 0;
  if (demanded != nullptr) [[unlikely]] delete std::exchange(demanded, nullptr);
}

inline void fork_as_asked(region run, void* what, const void* place) {
  const unsigned asked = std::exchange(asked_for, 0);
  if (demanded == nullptr) [[likely]] return fork(run, what, asked, place);
  // Kept here, because a nested region may have a clause of its own.
  const std::unique_ptr<const thread_demand> demand(std::exchange(demanded, nullptr));
  fork(run, what, asked, place, demand.get());
}

}  // namespace weir::openmp
