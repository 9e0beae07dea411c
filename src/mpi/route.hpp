// One process's way through a plan: what it signals and awaits, in order, and by which way each goes.
#pragma once

#include <cstdint>
#include <vector>

#include <weir/barriers/plan.hpp>

namespace weir::mpi {

struct move {
  enum class way : std::uint8_t { near, far };  // by a flag in the node's memory, by a message
  enum class action : std::uint8_t {
    signal,
    await,
    count,  // one more has come to this seat; all but the last go on at `otherwise`
  };

  action act;
  way by;
  unsigned peer;   ///< whom it signals (far), or who signals it; `anyone` where that differs
  unsigned flag;   ///< near: which flag of the node
  unsigned tag;    ///< far: the how-manieth signal from one to the other within an episode
  unsigned index;  ///< far: the how-manieth of this process's signals, or of its awaits
  unsigned company = 0, otherwise = 0;  ///< count: how many come, and where the others go on
};

inline constexpr unsigned anyone = ~0u;

struct route {
  std::vector<move> moves;
  unsigned far_signals = 0, far_awaits = 0;
  /// Of the node's memory, alike for all its processes: for each flag the line that it lies on.
  std::vector<unsigned> flag_line;
  unsigned lines = 0;
};

/// `node_of[r]`: which node process r is on; processes that share no memory are on nodes of their own. Pure. Throws
/// std::invalid_argument for a plan that is malformed (proof.hpp): near_memory lays its flags out as they come.
route route_of(const plan& p, unsigned rank, const std::vector<unsigned>& node_of);

/// The combination barrier of processes on one node [paper 000, section 3.3]: those of one seat, a processor, count, and the last
/// to come goes through `across`, a plan of the seats, for all of them. No plan of the processes, since nobody is always last; but
/// each needs to run only once in an episode. Pure.
route combination_route(const plan& across, const std::vector<std::vector<unsigned>>& seats, unsigned process);

/// For the sender of each far signal, in the order of its moves: the index that its receiver gave it. For transports where the
/// sender says where it arrives.
std::vector<unsigned> indices_at_receivers(const plan& p, unsigned rank, const std::vector<unsigned>& node_of);

}  // namespace weir::mpi
