// The plans of the classical barriers. Each is a pure function of the number of participants.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weir/barriers/plan.hpp>

namespace weir::plans {

/// ceil(log_radix P) rounds; in round r participant i signals i + j * radix^r (mod P) for
/// j = 1 .. radix-1 [paper 001, section 3.3; 004; radix: Hoefler's n-way dissemination].
plan dissemination(unsigned participants, unsigned radix = 2);

/// A static tree: children signal parents in an arrival tree, parents wake children in a release
/// tree. `packed`: the flags of one parent's children lie on one line [paper 001, section 3.4].
plan tree(unsigned participants, unsigned arrival_fan_in, unsigned release_fan_out, bool packed = false);

/// 4-ary arrival tree with packed children, binary wake-up tree [papers 000, section 3.3; 001; 004].
plan mcs(unsigned participants);

enum class wake_up {
  champion_flag,  ///< all losers await one flag of the champion
  tree,           ///< each winner wakes those that it beat
};
/// In round r participant i loses to i - 2^r; who wins is decided statically [paper 001, section 3.5].
plan tournament(unsigned participants, wake_up how = wake_up::champion_flag);

/// Pairwise exchange: in round r participant i and i xor 2^r signal each other [Brooks, in paper
/// 000's survey]. Participants beyond the largest power of two report to a partner and are told by it.
plan butterfly(unsigned participants);

/// All tell participant 0, which tells all by one flag: two signals on the critical path, and one place to look at for each.
plan linear(unsigned participants);

/// The shapes of those that have some.
struct shape {
  unsigned radix = 2;    ///< dissemination
  unsigned fan_in = 2;   ///< tree
  unsigned fan_out = 2;  ///< tree
};

/// One of the above by the name that its barrier has everywhere; none for a name that is not among names().
std::optional<plan> by_name(const std::string& name, unsigned participants, const shape& its = {});
const std::vector<std::string>& names();

/// Makes a plan for so many participants.
using maker = std::function<plan(unsigned participants)>;

/// Two levels: the members of each group by `within`, which must have two halves, and between them the groups' leaders by
/// `across` [paper 004, "The combined barrier"]. Each group is a list of participants, its leader first; each participant is in
/// one group. `within` may itself be of levels. Throws std::invalid_argument for groups that are not so.
plan levels(const std::vector<std::vector<unsigned>>& groups, const maker& within, const maker& across);

}  // namespace weir::plans
