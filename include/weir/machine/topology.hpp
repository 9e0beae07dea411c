// SPDX-License-Identifier: Apache-2.0
// Which processors are near each other: the processors of a machine, in groups within groups.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir {

class topology {
 public:
  /// All processors, divided into groups: the cores, or those that share a cache, a memory or a socket.
  struct division {
    std::string name;
    std::vector<unsigned> group_of;  ///< of the processor at each place; numbered in the order of the places
    unsigned groups = 1;
  };

  /// A flat machine: each processor is as near as any other. `trouble` says why no more is known.
  explicit topology(std::vector<int> processors, std::string trouble = "");
  /// `processors` without repetition, neighbours near each other. The divisions come in any order.
  topology(std::vector<int> processors, std::vector<division> divisions, std::vector<unsigned> threads = {});

  /// In the machine's order: neighbours are near each other.
  const std::vector<int>& processors() const { return processors_; }
  /// The divisions that lie within each other, the smallest groups first; the last is the whole machine. A division that
  /// separates nothing more is left out, and so is one whose groups cross those of a smaller one.
  const std::vector<division>& levels() const { return levels_; }
  /// A division by name, also one that is no level; null: it is not known.
  const division* find(std::string_view name) const;
  /// The processors of each group, in the machine's order.
  std::vector<std::vector<int>> groups(const division&) const;

  /// 0: the same processor; n: both are in one group of levels()[n - 1], and in none of those before. An unknown processor is as
  /// far as any.
  unsigned distance(int a, int b) const;

  /// These processors in the machine's order; unknown ones last, ascending.
  std::vector<int> in_order(std::vector<int> processors) const;

  /// The number of a processor within its core, counted over all of the core's processors.
  unsigned thread(int processor) const;
  /// Why the machine is described as flat, or empty.
  const std::string& trouble() const { return trouble_; }

 private:
  int place(int processor) const;  // -1: unknown

  std::vector<int> processors_, place_;
  std::vector<division> divisions_, levels_;
  std::vector<unsigned> threads_;
  std::string trouble_;
};

/// Of these processors, as `root`/sys/devices/system describes them: `core`, `cluster` (they share a second-level cache, or what
/// stands for it), `cache` (the last level), `socket`, `die`, `memory` (a node). What the kernel does not describe is left out.
/// A description that contradicts itself makes the machine flat, and trouble() says why. A file is read once for all processors
/// of its group.
topology topology_below(const std::string& root, const std::vector<int>& processors);

/// Of the processors in the affinity mask, read at the first call. Thread-safe.
const topology& topology_here();

/// The processors that are online, ascending, whatever this process may use; none if `root` does not say.
std::vector<int> processors_online(const std::string& root);

/// What tells machines of one kind from others: how many processors, and into how many groups each level divides them. "128
/// processors in 16 groups in 2 groups". Levels have no names here, which a machine's file chooses for itself.
std::string signature(const topology& machine);

}  // namespace weir
