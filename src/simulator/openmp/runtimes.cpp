#include "simulator/openmp/by_name.hpp"
#include "simulator/openmp/peers.hpp"
#include "simulator/openmp/team.hpp"
#include "simulator/openmp/weirs_team.hpp"

namespace weir::simulator::openmp {

namespace {
constexpr runtime all[] = {
    {"weir", "Weir's runtime: its own source", false,
     [](const machine_model& m, unsigned members) -> std::unique_ptr<team> { return std::make_unique<weirs_team>(m, members); }},
    {"libgomp", "a model of GCC's: one counter, one word that releases all", true, peers::libgomp},
    {"libomp", "a model of LLVM's as it is by default: a tree with four members at each branch", true, peers::libomp_hyper},
    {"libomp-hierarchical", "a model of LLVM's pattern hierarchical: a tree by the machine's levels", true,
     peers::libomp_hierarchical},
    {"libomp-dist", "a model of LLVM's pattern dist: groups of 64 threads, released by a flag for each 16", true,
     peers::libomp_distributed},
};
}  // namespace

std::span<const runtime> runtimes() { return all; }

const runtime& runtime_called(const std::string& name) { return by_name(runtimes(), "runtime", name); }

}  // namespace weir::simulator::openmp
