// Which members may have tasks in their queues: a bit for each, so that a member that looks for tasks reads a line and not the
// queues of all. Eight consecutive members, which are near each other, have a line in common.
//
// A queue with a task is offered, or its owner is about to offer it. The opposite does not hold: an offer stays when the queue
// becomes empty, because the owner will often add the next task soon, and is withdrawn by a thief that has met nothing there for
// a while. Owner and thief must not miss each other:
//
//   owner: adds a task; fence; reads the offers      thief: withdraws the offer; reads the queue
//
// Either the thief sees the task, and offers the queue again, or the owner sees that the offer is gone.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include <weir/machine/machine.hpp>

namespace weir::openmp {

template <class Machine>
class offers {
  using word = typename Machine::template word<std::uint64_t>;

 public:
  explicit offers(unsigned members) : words_((members + bits - 1) / bits), of_words_(std::make_unique<line[]>(words_)) {}

  /// The offer of one member's queue. Its owner keeps it, because nothing is computed faster just behind a fence.
  class offer {
   public:
    /// To be asked by the owner after a seq_cst fence. relaxed: ordered by the fence.
    bool is_there() const { return (its_->load(std::memory_order_relaxed) & bit_) != 0; }

   private:
    friend offers;
    offer(const word& offered_in, std::uint64_t bit) : its_(&offered_in), bit_(bit) {}
    const word* its_;
    std::uint64_t bit_;
  };
  offer of(unsigned member) const { return {at(member), bit(member)}; }
  /// A seq_cst fence follows, for members that look once more before they sleep. relaxed: ordered by that fence.
  void add(unsigned member) { at(member).fetch_or(bit(member), std::memory_order_relaxed); }
  /// `is_empty()` reads the queue by seq_cst loads. False: the queue has a task now, and is offered again, as by add().
  template <class IsEmpty>
  bool withdraw(unsigned member, IsEmpty is_empty) {
    // seq_cst: in one order with the owner's fence.
    at(member).fetch_and(~bit(member), std::memory_order_seq_cst);
    if (is_empty()) return true;
    add(member);
    return false;
  }

  /// The nearest other member whose queue is offered, of those whose numbers differ from the thief's in the bits of `from` or of
  /// a greater number (victims.hpp). None: 0, otherwise these bits.
  unsigned next(unsigned thief, unsigned from) const {
    for (unsigned block = from / bits; block < blocks(); ++block)
      if (const unsigned at = next_in(block, thief, block == from / bits ? from % bits : 0); at != 0) return at;
    return 0;
  }
  /// The same in one block of members, which has one line: that whose number differs from the thief's block in the bits of
  /// `block`.
  unsigned next_in(unsigned block, unsigned thief, unsigned from) const {
    const unsigned at = thief / bits ^ block;
    if (at >= words_) return 0;
    // relaxed: a hint; the queue is acquired.
    std::uint64_t offered = of_words_[at].offered.load(std::memory_order_relaxed);
    if (offered == 0) return 0;
    offered = seen_from(thief % bits, offered) & ~std::uint64_t{0} << from;
    if (block == 0) offered &= ~std::uint64_t{1};  // the thief's own
    return offered != 0 ? block * bits + static_cast<unsigned>(std::countr_zero(offered)) : 0;
  }
  /// A power of two.
  unsigned blocks() const { return std::bit_ceil(words_); }

 private:
  // Few members read a line, which goes to them one after the other when it changes.
  static constexpr unsigned bits = 8;
  struct alignas(line_bytes) line {
    word offered{0};
  };

  static constexpr std::uint64_t bit(unsigned member) { return std::uint64_t{1} << member % bits; }
  word& at(unsigned member) const { return of_words_[member / bits].offered; }
  /// The same bits by how their numbers differ from `me`: each bit of `me` exchanges blocks of bits.
  static std::uint64_t seen_from(unsigned me, std::uint64_t seen) {
    constexpr std::uint64_t lower[] = {0x55, 0x33, 0x0f};
    for (unsigned b = 0; b < 3; ++b)
      if ((me >> b & 1) != 0) seen = (seen >> (1u << b) & lower[b]) | (seen & lower[b]) << (1u << b);
    return seen;
  }

  const unsigned words_;
  const std::unique_ptr<line[]> of_words_;
};

}  // namespace weir::openmp
