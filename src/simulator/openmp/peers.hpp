// Models of other runtimes, by their published algorithms. Described and written by us: no model is the runtime's own source, and
// each leaves out what its runtime does besides, so a model is faster than its runtime.
#pragma once

#include <memory>
#include <span>

#include "simulator/openmp/team.hpp"

namespace weir::simulator::openmp::peers {

/// GCC's libgomp: a counter and a word that releases all [Gao and others 2021, section II; GCC's libgomp/config/linux/bar.h]. A
/// region is two such barriers, one in front of it and one behind it, and a line for each worker that the primary thread writes.
std::unique_ptr<team> libgomp(const machine_model& m, unsigned members);
/// Regions within regions: the primary thread creates the workers of each, which end with it [GCC's libgomp/team.c].
teams libgomp_within(const machine_model& m, std::span<const unsigned> sizes);

/// LLVM's libomp by default: a tree embedded in a hypercube, with four members at each branch, in both directions
/// [KMP_FORKJOIN_BARRIER_PATTERN=hyper,hyper, KMP_FORKJOIN_BARRIER=2,2: LLVM/OpenMP documentation].
std::unique_ptr<team> libomp_hyper(const machine_model& m, unsigned members);
/// A tree by the levels of the machine, at most four members at each branch [pattern hierarchical].
std::unique_ptr<team> libomp_hierarchical(const machine_model& m, unsigned members);
/// Groups of 64 members, whose leaders gather a flag of each and release them by a flag for each 16 [pattern dist; the constants
/// of LLVM's kmp_barrier.h].
std::unique_ptr<team> libomp_distributed(const machine_model& m, unsigned members);

/// Regions within regions in these patterns: each team takes its workers from one pool, and gives them back at its end
/// [KMP_HOT_TEAMS_MAX_LEVEL=1, the default; LLVM's kmp_runtime.cpp].
teams libomp_hyper_within(const machine_model& m, std::span<const unsigned> sizes);
teams libomp_hierarchical_within(const machine_model& m, std::span<const unsigned> sizes);
teams libomp_distributed_within(const machine_model& m, std::span<const unsigned> sizes);

}  // namespace weir::simulator::openmp::peers
