// The two phases of a region, over a Machine: the release that begins it, from the primary thread (member 0) to the workers,
// and the arrival that ends it, back to the primary thread [paper 003, section IV.A]. In large teams both go along a tree
// (release_tree.hpp, half.hpp). The crew decides which workers take part and how members wait; the explorer searches the same
// source.
//
// A worker waits for a word that holds an episode and the size of the episode's team.
//
// - A new episode whose team includes it lets it read the region and the crew's team, from the load that shows the episode
//   until its arrive(). The primary thread writes none of them in that time: it sets a flag only after they are written, and
//   writes them again only after its join() has seen the arrivals of all members. A worker that passes the release on writes its
//   lines once in each episode that includes it, before its own arrive().
// - A new episode whose team does not include it lets it read nothing: no thread waits for its arrival, so the primary thread
//   may be writing the next region already. That is why the size is in the same word as the episode.
// - It may miss episodes whose teams do not include it, never one whose team does: that one's join() waits for it.
//
// A worker answers each episode that includes it by exactly one arrival. The size `everyone` tells all workers to end; they do
// not answer it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

#include "openmp/forking/release_tree.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/teams/half.hpp"
#include "openmp/teams/release_word.hpp"

namespace weir::openmp {

/// `Region`: what the workers are to execute.
template <class Machine, class Region, class Tree = release_tree<16, 8>>
class fork_join {
 public:
  using release_tree = Tree;
  /// A worker gets what it waits for and what it is to execute in one transfer.
  struct alignas(line_bytes) release_line {
    typename Machine::template word<std::uint64_t> word{0};
    typename Machine::gate waiters;
    Region region{};
    void set(std::uint64_t what) {
      // release: the region, and all that the program did before it.
      word.store(what, std::memory_order_release);
      waiters.open();
    }
    /// The region just before the word: those who poll the line fetch it once.
    template <class Executed>
    void set(std::uint64_t what, const Executed& executed) {
      region = executed;
      set(what);
    }
  };
  // The last episode whose region the member and its children have executed. The member's parent in the arrival waits for it.
  struct alignas(line_bytes) arrival_flag {
    typename Machine::template word<std::uint32_t> episode{0};
    typename Machine::gate for_children;  // where this member waits for its children
  };
  /// A worker's.
  struct flags {
    release_line release;  // if it does not wait for the common line
    arrival_flag arrival;
  };

  // Below, `flags_of(number)` gives the flags of a worker, numbered from 1, and `await(word, gate, ready)` waits.

  /// Releases a member's children in the tree of a barrier by name, if each worker has a flag of its own.
  template <class Executed, class FlagsOf>
  void release(const half& along, unsigned member, std::uint64_t word, const Executed& executed, FlagsOf flags_of) {
    for (const unsigned child : along.of(member)) flags_of(child).release.set(word, executed);
  }
  /// Releases a member's children in the release tree, of the workers that there are.
  template <class Executed, class FlagsOf>
  void pass_on(unsigned member, unsigned workers, std::uint64_t word, const Executed& executed, FlagsOf flags_of) {
    const unsigned size = std::min(release_word::size_in(word), workers + 1);
    Tree::for_children(member, size, [&](unsigned child) { flags_of(child).release.set(word, executed); });
  }
  /// Releases those that wait for the common line.
  template <class Executed>
  void release_common(std::uint64_t word, const Executed& executed) {
    for_all.set(word, executed);
  }

  /// Waits until a line holds another word than `seen`, and returns it.
  template <class Await>
  std::uint64_t next(release_line& line, std::uint64_t seen, Await await) {
    // acquire, both: the region, and all that the program did before it.
    const std::uint64_t now = line.word.load(std::memory_order_acquire);
    if (now != seen) return now;
    await(line.word, line.waiters, [seen](std::uint64_t later) { return later != seen; });
    return line.word.load(std::memory_order_acquire);
  }

  /// A worker, a member of a team of `size`, has executed the region. Its own flags are an argument, because looking them up may
  /// cost the transfer of a line that the primary thread writes in each region.
  template <class FlagsOf, class Await>
  void arrive(const half& tree, unsigned size, unsigned member, flags& own, std::uint32_t episode, FlagsOf flags_of,
              Await await) {
    if (tree.central()) {
      happens_before(&primary.episode);
      // The primary thread belongs to the first group, but does not count.
      const unsigned groups = tree.groups(), group = member % groups;
      const unsigned of_group = (size - 1 - group) / groups + (group != 0 ? 1 : 0);
      if (!is_last(of_groups_[group], of_group) || (groups > 1 && !is_last(of_all_, groups))) return;
      primary.episode.store(episode, std::memory_order_release);
      primary.for_children.open();
      return;
    }
    await_children(tree, member, own.arrival, episode, flags_of, await);
    // Looked up before the store: once this member has arrived, the crew may grow.
    const unsigned above = tree.of(member).parent;
    arrival_flag& parent = above == 0 ? primary : flags_of(above).arrival;
    happens_before(&own.arrival.episode);
    // release: what the region did, in this member and its children, for the primary thread.
    own.arrival.episode.store(episode, std::memory_order_release);
    parent.for_children.open();
  }

  /// The primary thread waits until all workers of the team have arrived.
  template <class FlagsOf, class Await>
  void join(const half& tree, std::uint32_t episode, FlagsOf flags_of, Await await) {
    if (tree.central())
      await_arrival(primary, primary, episode, await);  // which the last member to arrive sets
    else
      await_children(tree, 0, primary, episode, flags_of, await);
  }

  release_line for_all;  // the common line

 private:
  template <class FlagsOf, class Await>
  void await_children(const half& tree, unsigned member, arrival_flag& own, std::uint32_t episode, FlagsOf flags_of,
                      Await await) {
    for (const unsigned child : tree.of(member)) await_arrival(flags_of(child).arrival, own, episode, await);
  }
  template <class Await>
  void await_arrival(const arrival_flag& other, arrival_flag& own, std::uint32_t episode, Await await) {
    await(other.episode, own.for_children, [episode](std::uint32_t now) { return now == episode; });
    happens_after(&other.episode);
  }

  struct alignas(line_bytes) counter {
    typename Machine::template word<unsigned> arrived{0};
  };
  static bool is_last(counter& arrived, unsigned of) {
    // acq_rel: what the region did, for the primary thread; the last member passes on what the others did.
    if (arrived.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != of) return false;
    // relaxed: nobody counts in the next region before the primary thread's flag lets it begin.
    arrived.arrived.store(0, std::memory_order_relaxed);
    return true;
  }

  arrival_flag primary;  // member 0's; with an arrival by one counter, the last member sets it for all
  counter of_groups_[half::most_groups], of_all_;  // of a central arrival: the members that have arrived, the groups that have
};

}  // namespace weir::openmp
