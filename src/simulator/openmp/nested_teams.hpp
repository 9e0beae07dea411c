// Regions within regions: a team whose members begin regions of their own.
#pragma once

#include <vector>

#include "openmp/places/place_partition.hpp"
#include "simulator/openmp/team.hpp"

namespace weir::simulator::openmp {

/// The processors of each member of the outer team: `count` from `place` on, where the member is itself. The machine has so many
/// processors as there are members, and each of its largest parts (sockets, dies) gets a member of the outer team; where it has
/// no parts there are two. OMP_PLACES=cores and OMP_PROC_BIND=spread,close divide them so.
std::vector<weir::openmp::thread_binding> parts_of(const machine_model& m, unsigned members);

class nested_teams final : public team {
 public:
  nested_teams(const runtime& on, const machine_model& m, unsigned members);

  /// A region of the outer team.
  void parallel(const body& executed) override;
  /// A region that a member of the outer team begins: the number that the body gets is that of the processor.
  void parallel_within(unsigned outer_member, const body& executed);
  void work(unsigned member) override;
  void dismiss() override;
  /// Of the outer team.
  void barrier(unsigned outer_member) override;
  void made_here() override;

 private:
  const std::vector<weir::openmp::thread_binding> parts_;
  std::unique_ptr<team> outer_;  // null: a thread alone
  const teams inner_;            // of each of its members
};

}  // namespace weir::simulator::openmp
