// A team of some OpenMP runtime on the simulated machine, and the table of runtimes.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "simulator/model.hpp"

namespace weir::simulator::openmp {

/// What a member executes in a region; its number is the argument.
using body = std::function<void(unsigned)>;

/// Member m runs on processor m, unless it is a team within another one. All functions but work() belong to the thread that is
/// member 0.
class team {
 public:
  explicit team(unsigned members) : size(members) {}
  virtual ~team() = default;
  team(const team&) = delete;

  /// A parallel region: all members execute the body, the caller as member 0.
  virtual void parallel(const body& executed) = 0;
  /// Any other member: executes regions until dismiss().
  virtual void work(unsigned member) = 0;
  virtual void dismiss() = 0;
  /// In a region, called by each member.
  virtual void barrier(unsigned member) = 0;
  /// The calling thread has allocated the team. Without this call its memory lies beside processor 0.
  virtual void made_here() = 0;

  const unsigned size;
};
using teams = std::vector<std::unique_ptr<team>>;

struct runtime {
  const char* name;
  const char* about;
  bool is_model;  // of a published algorithm, in place of the runtime's own source
  std::unique_ptr<team> (*make)(const machine_model& m, unsigned members);
  /// The teams of regions within regions, one for each member of a team.
  teams (*make_within)(const machine_model& m, std::span<const unsigned> sizes);
};
std::span<const runtime> runtimes();
/// Throws std::invalid_argument for a name that is not known; it lists the known ones.
const runtime& runtime_called(const std::string& name);

}  // namespace weir::simulator::openmp
