// One process's way through a plan: its signals and awaits, in order, each by a flag in shared memory or by a message.
#pragma once

#include <cstdint>
#include <vector>

#include <weir/barriers/plan.hpp>

namespace weir::mpi {

struct move {
  enum class path : std::uint8_t { memory, message };  // by a flag in the node's memory, by a message
  enum class action : std::uint8_t {
    signal,
    await,
    count,  // counts this arrival at the seat; all but the last to arrive continue at `otherwise`
  };

  action act;
  path by;
  unsigned peer;   ///< whom it signals (message), or who signals it; `anyone` if that differs between episodes
  unsigned flag;   ///< memory: the flag's number within the node
  unsigned tag;    ///< message: the number of this signal among those from one to the other within an episode
  unsigned index;  ///< message: its number among this process's signals, or among its awaits
  unsigned expected = 0, otherwise = 0;  ///< count: how many arrivals, and where the others continue
};

inline constexpr unsigned anyone = ~0u;

struct route {
  std::vector<move> moves;
  unsigned message_signals = 0, message_awaits = 0;
  /// For each flag of the node's memory the line on which it lies; equal in all processes of the node.
  std::vector<unsigned> flag_line;
  unsigned lines = 0;
  unsigned first_tag = 0;

  /// Another route of the same process follows `before`: its flags come after those of `before`, and its messages have other
  /// tags.
  void follow(const route& before);
};

/// `node_of[r]`: the node of process r; processes that share no memory are on nodes of their own. Pure. Throws
/// std::invalid_argument for a malformed plan (proof.hpp), because node_memory lays flags out in the order of the plan.
route route_of(const plan& p, unsigned rank, const std::vector<unsigned>& node_of);

/// The combination barrier of processes on one node [paper 000, section 3.3]: the processes of one seat, a processor, count, and
/// the last to arrive follows `across`, a plan of the seats, for all of them. This is not a plan of the processes, because the
/// last to arrive differs between episodes; but each process needs to run only once in an episode. Pure.
route combination_route(const plan& across, const std::vector<std::vector<unsigned>>& seats, unsigned process);

/// For each signal by message, in the order of the sender's moves: the index that its receiver gave it. Needed by transports
/// whose sender chooses where a signal is stored.
std::vector<unsigned> indices_at_receivers(const plan& p, unsigned rank, const std::vector<unsigned>& node_of);

}  // namespace weir::mpi
