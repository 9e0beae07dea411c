// SPDX-License-Identifier: Apache-2.0
// The plans of the classical barriers. Each is a pure function of the number of participants.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/barriers/plan.hpp>

namespace weir::plans {

/// ceil(log_radix P) rounds; in round r participant i signals i + j * radix^r (mod P) for
/// j = 1 .. radix-1 [paper 001, section 3.3; 004; radix: Hoefler's n-way dissemination].
plan dissemination(unsigned participants, unsigned radix = 2);

/// Dissemination; but the flags of two participants are on one line, which is transferred once in each direction.
plan exchange(unsigned participants);

/// A static tree: children signal parents in an arrival tree, parents wake children in a release
/// tree. `packed`: the flags of one parent's children lie on one line [paper 001, section 3.4].
plan tree(unsigned participants, unsigned arrival_fan_in, unsigned release_fan_out, bool packed = false);

/// 4-ary arrival tree with packed children, binary wake-up tree [papers 000, section 3.3; 001; 004].
plan mcs(unsigned participants);

enum class wake_up {
  champion_flag,  ///< all losers await one flag of the champion
  tree,           ///< each winner wakes the losers that it beat
};
/// In round r participant i loses to i - 2^r; winners are decided statically [paper 001, section 3.5].
plan tournament(unsigned participants, wake_up how = wake_up::champion_flag);

/// In each round the first of `ways` participants awaits a flag of each of the others, on a line of its own. The release is a
/// binary tree of the nodes' first participants, and in each node a binary tree. A node is `node` consecutive participants, those
/// whose processors share a cache or a memory [Gao and others, CLUSTER 2021: static f-way tournament, padded flags, NUMA-aware
/// wake-up tree].
plan tournament_by_nodes(unsigned participants, unsigned ways = 4, unsigned node = 4);

/// In each node a tournament, whose winner wakes the others at last; between, the winners of all nodes meet by dissemination with
/// this radix; 0: that of radix_among(). So a barrier leaves the nodes in a few rounds, and each round is one signal long. Where
/// one node holds all, they are equally near, and all meet by dissemination. A node is `node` consecutive participants. It has no
/// two halves.
plan exchange_by_nodes(unsigned participants, unsigned node = 4, unsigned ways = 4, unsigned fan_out = 8, unsigned radix = 0);

/// The radix by which this number of participants meets: 4, or one by which they need a round less for at most one signal more.
unsigned radix_among(unsigned participants);

/// Pairwise exchange: in round r participant i and i xor 2^r signal each other [Brooks, in paper
/// 000's survey]. Participants beyond the largest power of two signal a partner first, and await its signal last.
plan butterfly(unsigned participants);

/// All others signal participant 0, which releases all by one flag: two signals on the critical path.
plan linear(unsigned participants);

/// The parameters of the plans that have some.
struct shape {
  unsigned radix = 2;    ///< dissemination
  unsigned fan_in = 2;   ///< tree
  unsigned fan_out = 2;  ///< tree
  unsigned ways = 4;     ///< tournament-nodes: 4 are the fastest for Gao and others
  unsigned node = 4;     ///< tournament-nodes, exchange-nodes
};

struct entry {
  const char* name;  ///< of the plan and of its barrier: in C++, in C, on the command line and in records
  const char* about;
  bool logarithmic;  ///< does the critical path grow with log P, in the default shape?
  plan (*make)(unsigned participants, const shape& form);

  /// Can the arrival and release phases be run apart? The plan says so, and prove() checks it.
  bool halves() const { return make(2, {}).halves; }
};

/// All of the above. Barriers by name and by type, the barriers over MPI, OpenMP's fork and join, the simulator, the explorer and
/// the tests of the proof take their plans from here, and ask a plan for everything else.
inline constexpr entry table[] = {
    {"dissemination", "ceil(log2 P) rounds, in each of which all signal one and await one", true,
     [](unsigned n, const shape& form) { return dissemination(n, form.radix); }},
    {"mcs", "4-ary arrival tree with packed children, binary wake-up tree", true,
     [](unsigned n, const shape&) { return mcs(n); }},
    {"tournament", "statically decided winners, a global champion flag", true,
     [](unsigned n, const shape&) { return tournament(n); }},
    {"tournament-tree", "statically decided winners, each wakes those that it beat", true,
     [](unsigned n, const shape&) { return tournament(n, wake_up::tree); }},
    {"tournament-nodes", "winners of four, decided statically, padded flags, a wake-up tree of nodes and in each node", true,
     [](unsigned n, const shape& form) { return tournament_by_nodes(n, form.ways, form.node); }},
    {"exchange-nodes", "a tournament and a wake-up in each node, dissemination with radix 4 to 6 between the nodes", true,
     [](unsigned n, const shape& form) { return exchange_by_nodes(n, form.node); }},
    {"tree", "static tree, any arrival fan-in and release fan-out (default 2 and 2)", true,
     [](unsigned n, const shape& form) { return tree(n, form.fan_in, form.fan_out); }},
    {"butterfly", "pairwise exchange in log2 P rounds, any team size", true,
     [](unsigned n, const shape&) { return butterfly(n); }},
    {"linear", "the first looks at a packed flag of each, one flag lets all go", false,
     [](unsigned n, const shape&) { return linear(n); }},
};

/// The entry of a name that is written in a program: one that is not in the table does not compile.
consteval const entry& called(std::string_view name) {
  for (const entry& e : table)
    if (e.name == name) return e;
  throw "no plan of the table has this name";
}

/// A plan of the table by name, or a plan by levels (below); none for a name that neither is. Throws std::invalid_argument if the
/// name says no levels, or there are too many participants for such a plan.
std::optional<plan> by_name(const std::string& name, unsigned participants, const shape& form = {});
/// All names, in the order of the table; and the names of the plans that have two halves.
const std::vector<std::string>& names();
const std::vector<std::string>& names_of_halved();

/// Makes a plan for this number of participants.
using maker = std::function<plan(unsigned participants)>;

/// Two levels: the members of each group meet by `within`, which must have two halves, and between these halves the leaders of
/// the groups meet by `across` [paper 004, "The combined barrier"]. Each group is a list of participants, its leader first; each
/// participant is in exactly one group. `within` may itself consist of levels. Throws std::invalid_argument for other groups.
plan levels(const std::vector<std::vector<unsigned>>& groups, const maker& within, const maker& across);

/// One level of a plan by levels.
struct level_shape {
  unsigned size = 0;    ///< participants of one of its groups: a multiple of those of the level below; 0, the last level: all
  unsigned ways = 4;    ///< arrival: in each round the first of `ways` members awaits the others
  unsigned fan_out = 2;  ///< release: a tree in which each member wakes `fan_out`; 0: one flag that all await
  bool packed = false;  ///< the flags that one awaits in a round lie on one line
  friend bool operator==(const level_shape&, const level_shape&) = default;
};

/// Consecutive participants are groups within groups, the smallest first; the last holds all. The firsts of a level's groups
/// meet at the next. `exchange_radix`: at the last level they meet by dissemination with this radix instead, or with 1 by pairs,
/// as in the butterfly; 0: they do not. Throws std::invalid_argument for other groups.
plan by_levels(unsigned participants, std::vector<level_shape> shapes, unsigned exchange_radix = 0);

/// A plan by levels, before it is made. It has a name, as the table's plans have; the search for a machine's plan finds such
/// shapes.
struct levels_shape {
  std::vector<level_shape> levels;
  unsigned exchange_radix = 0;  ///< as in by_levels()
  friend bool operator==(const levels_shape&, const levels_shape&) = default;
};

/// The largest team for which a plan by levels is made by name: it is proven each time, which takes milliseconds up to here.
inline constexpr unsigned most_by_levels = 1024;

/// Is this the name of a plan by levels, right or wrong?
bool names_levels(std::string_view name);

/// "levels:8by6down6-96packed12flag-exchange4". For each level but the last: the size of a group, `by` and its ways (`packed`:
/// their flags share a line), `down` and its fan-out (`flag`: one flag). The last level has no size, so that the plan is one for
/// any team: "by4down2", "pairs", "exchange4".
std::string name_of(const levels_shape& shape);

/// The shape that has this name. Throws std::invalid_argument: what was expected. The message repeats nothing of the name, which
/// may be any text.
levels_shape levels_called(std::string_view name);

}  // namespace weir::plans
