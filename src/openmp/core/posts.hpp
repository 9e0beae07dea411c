// The posts of a doacross nest: a byte for each iteration, and where members wait for them. A template over a Machine, so that the
// explorer and the simulator execute the same source.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <weir/machine/machine.hpp>

#include "openmp/support/annotation.hpp"

namespace weir::openmp {

/// In a large team a post must not go to all who wait for one of the next iterations. So the bytes of a page, `Across` squared, stand
/// there by columns: first those of each `Across`th iteration, then those that follow these.
template <class Machine, unsigned Across = 64>
struct posts {
  using byte = typename Machine::template word<std::uint8_t>;
  static constexpr std::uint64_t in_page = std::uint64_t{Across} * Across;

  byte* posted = nullptr;  // made and given back by the nest
  bool apart = false;      // do the bytes of consecutive iterations lie on different lines?
  typename Machine::gate new_post;

  /// Where the post of this iteration is stored.
  byte& of(std::uint64_t number) const {
    const std::uint64_t at = number % in_page;
    return posted[apart ? number - at + at % Across * Across + at / Across : number];
  }
  /// How many pages have the bytes of so many iterations, and at least one, if they are apart.
  static std::size_t pages(std::uint64_t iterations) { return (iterations - 1) / in_page + 1; }

  void post(std::uint64_t number) {
    byte& its = of(number);
    happens_before(&its);
    // release: what the iteration has done so far, for those that depend on it.
    its.store(1, std::memory_order_release);
    new_post.open();
  }
  /// `await(word, gate, ready)` waits, with acquire. `nobody_posts()`: has its member left the region?
  template <class NobodyPosts, class Await>
  void wait_for(std::uint64_t number, NobodyPosts nobody_posts, Await await) {
    byte& its = of(number);
    await(its, new_post, [nobody_posts](std::uint8_t p) { return p != 0 || nobody_posts(); });
    happens_after(&its);
  }
};

}  // namespace weir::openmp
