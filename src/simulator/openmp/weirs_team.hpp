// A team of Weir's runtime: the templates of src/openmp over the simulated machine.
#pragma once

#include <memory>

#include "barriers/registry.hpp"
#include "openmp/core/fork_join.hpp"
#include "openmp/core/half.hpp"
#include "simulator/openmp/team.hpp"
#include "simulator/simulated.hpp"

namespace weir::simulator::openmp {

class weirs_team final : public team {
 public:
  weirs_team(const machine_model& m, unsigned members);

  void parallel(const body& executed) override;
  void work(unsigned member) override;
  void dismiss() override;
  void barrier(unsigned member) override;

 private:
  /// What the crew writes before each release: the function, its argument, the team.
  struct region {
    simulated::word<std::uint64_t> run{0}, what{0}, of{0};
  };
  using phases = weir::openmp::fork_join<simulated, region>;
  using experience = waiting::experience<simulated>;

  auto flags_of() {
    return [this](unsigned number) -> phases::flags& { return workers_[number - 1]; };
  }
  static auto await(experience& learned);

  const body* executed_ = nullptr;
  std::uint32_t episode_ = 0;
  const bool one_release_flag_;
  const weir::openmp::half release_, arrival_;
  phases phases_;
  const std::unique_ptr<phases::flags[]> workers_;
  experience between_regions_, at_joins_;
  std::unique_ptr<any_barrier> barrier_;
};

}  // namespace weir::simulator::openmp
