// The posts of a doacross nest: a byte for each iteration, and where members wait for them. A template over a Machine, so that
// the explorer and the simulator execute the same source.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <weir/machine/machine.hpp>

#include "openmp/support/annotation.hpp"
#include "openmp/teams/scatter.hpp"

namespace weir::openmp {

/// In a large team, of more than `Few`, a post must not go to all who wait for one of the next iterations. So the bytes of a
/// page, `Across` squared, stand there by columns: first those of each `Across`th iteration, then those that follow these. And
/// there are as many gates as members: a member that waits for an iteration sleeps at the gate that it chooses.
template <class Machine, unsigned Across = 64, unsigned Few = 8>
struct posts {
  using byte = typename Machine::template word<std::uint8_t>;
  using gate = typename Machine::gate;
  static constexpr std::uint64_t in_page = std::uint64_t{Across} * Across;

  byte* posted = nullptr;  // made and given back by the nest
  bool apart = false;      // do the bytes of consecutive iterations lie on different lines?

  /// Called by the first member to enter the nest. `all_leave`: no member may leave the region without what it is to post. Else
  /// all wait at one gate, because whoever leaves opens it.
  void begin(unsigned members, bool all_leave) {
    apart = members > Few;
    if (!apart || !all_leave || gates_ != nullptr) return;
    chosen_ = scatter(members);
    gates_ = std::make_unique<gate[]>(chosen_.places());
  }
  /// Called by a member that leaves the region.
  void wake_all() { only_.open(); }

  /// Where the post of this iteration is stored.
  byte& of(std::uint64_t number) const {
    const std::uint64_t at = number % in_page;
    return posted[apart ? number - at + at % Across * Across + at / Across : number];
  }
  /// How many pages hold the bytes of these iterations, if the bytes are apart; at least one.
  static std::size_t pages(std::uint64_t iterations) { return (iterations - 1) / in_page + 1; }

  void post(std::uint64_t number) {
    byte& flag = of(number);
    happens_before(&flag);
    // release: what the iteration has done so far, for those that depend on it.
    flag.store(1, std::memory_order_release);
    gate_of(number).open();
  }
  /// `await(word, gate, ready)` waits, with acquire. `nobody_posts()`: has its member left the region?
  template <class NobodyPosts, class Await>
  void wait_for(std::uint64_t number, NobodyPosts nobody_posts, Await await) {
    byte& flag = of(number);
    await(flag, gate_of(number), [nobody_posts](std::uint8_t p) { return p != 0 || nobody_posts(); });
    happens_after(&flag);
  }

 private:
  gate& gate_of(std::uint64_t number) { return gates_ == nullptr ? only_ : gates_[chosen_.place_of(number)]; }

  scatter chosen_;
  std::unique_ptr<gate[]> gates_;  // null: one for all. They stay for the nests to come.
  gate only_;
};

}  // namespace weir::openmp
