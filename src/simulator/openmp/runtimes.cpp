#include "simulator/openmp/by_name.hpp"
#include "simulator/openmp/peers.hpp"
#include "simulator/openmp/team.hpp"
#include "simulator/openmp/weirs_team.hpp"

namespace weir::simulator::openmp {

namespace {

std::unique_ptr<team> ours(const machine_model& m, unsigned members) { return std::make_unique<weirs_team>(m, members); }
// Each thread has a crew for each depth at which it begins regions, and crews have nothing in common.
teams ours_within(const machine_model& m, std::span<const unsigned> sizes) {
  teams made;
  for (const unsigned members : sizes) made.push_back(ours(m, members));
  return made;
}

constexpr runtime table[] = {
    {"weir", "Weir's runtime: its own source", false, ours, ours_within},
    {"libgomp", "a model of GCC's: one counter, one word that releases all", true, peers::libgomp, peers::libgomp_within},
    {"libomp", "a model of LLVM's as it is by default: a tree with four members at each branch", true, peers::libomp_hyper,
     peers::libomp_hyper_within},
    {"libomp-hierarchical", "a model of LLVM's pattern hierarchical: a tree by the machine's levels", true,
     peers::libomp_hierarchical, peers::libomp_hierarchical_within},
    {"libomp-dist", "a model of LLVM's pattern dist: groups of 64 threads, released by a flag for each 16", true,
     peers::libomp_distributed, peers::libomp_distributed_within},
};
}  // namespace

std::span<const runtime> runtimes() { return table; }

const runtime& runtime_called(const std::string& name) { return by_name(runtimes(), "runtime", name); }

}  // namespace weir::simulator::openmp
