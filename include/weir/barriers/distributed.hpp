// SPDX-License-Identifier: Apache-2.0
// A counter spread over one element for each member; all members scan all elements.
//   distributed         a byte each, not padded, two sets [paper 002, section 3.2]
//   distributed-padded  a cache line each, two sets in different bytes of it [002, section 3.3]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <weir/barriers/properties.hpp>
#include <weir/machine/machine.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir::barriers {

namespace detail {

/// The episode of one member, as the set to use (the two sets alternate) and the sense that means "arrived". The paper counts an
/// element down, and resets the element of the other set to one; a sense that flips each time a set is used again needs no reset.
/// With two sets, a fast member that is one episode ahead has not yet written to the set that a slow member still scans: before
/// it writes to that set again, it would have to leave an episode at which the slow member has not arrived.
struct alternation {
  std::uint32_t episode = 0;

  struct turn {
    unsigned set;
    std::uint8_t sense;
  };
  turn next() {
    const std::uint32_t e = episode++;
    return {e & 1u, static_cast<std::uint8_t>(((e >> 1) & 1u) ^ 1u)};
  }
};

}  // namespace detail

template <class Machine, template <class> class Waiting>
class distributed {
  using byte = typename Machine::template word<std::uint8_t>;

 public:
  static constexpr barrier_properties properties{
      .name = "distributed", .about = "a byte for each thread, not padded, scanned by all"};

  explicit distributed(const team& t)
      : members_(t.members),
        seats_(std::make_unique<seat[]>(t.members)),
        even_(std::make_unique<line[]>(lines_of_a_set())),
        odd_(std::make_unique<line[]>(lines_of_a_set())),
        waiting_(t) {}

  void arrive_and_wait(unsigned member) {
    const auto [set, sense] = seats_[member].next();
    // Both pointers are loaded before the set is known: no load depends on another.
    line* const lines = set == 0 ? even_.get() : odd_.get();
    // release: publishes this member's writes to every member that scans past this element.
    lines[member / line_bytes].elements[member % line_bytes].store(sense, std::memory_order_release);
    // The elements lie on a few lines together, so a sleeper may wait for any of them: one gate for all.
    waiting_.wake(gate_);
    const auto arrived = [sense](std::uint8_t now) { return now == sense; };
    for (unsigned m = 0; m < members_; ++m)
      if (m != member) waiting_.await(member, lines[m / line_bytes].elements[m % line_bytes], gate_, arrived);
  }

  std::size_t bytes() const { return sizeof(*this) + members_ * sizeof(seat) + 2 * lines_of_a_set() * sizeof(line); }

 private:
  struct alignas(line_bytes) seat : detail::alternation {};
  struct alignas(line_bytes) line {
    byte elements[line_bytes]{};
  };

  std::size_t lines_of_a_set() const { return (members_ + line_bytes - 1) / line_bytes; }

  const unsigned members_;
  const std::unique_ptr<seat[]> seats_;
  const std::unique_ptr<line[]> even_, odd_;  // the two sets
  Waiting<Machine> waiting_;
  alignas(line_bytes) typename Machine::gate gate_;
};

template <class Machine, template <class> class Waiting>
class distributed_padded {
 public:
  static constexpr barrier_properties properties{
      .name = "distributed-padded", .about = "a cache line for each thread, scanned by all"};

  explicit distributed_padded(const team& t)
      : members_(t.members),
        seats_(std::make_unique<seat[]>(t.members)),
        elements_(std::make_unique<element[]>(t.members)),
        waiting_(t) {}

  void arrive_and_wait(unsigned member) {
    const auto [set, sense] = seats_[member].next();
    element& own = elements_[member];
    // release: publishes this member's writes to every member that scans past this element.
    own.sets[set].store(sense, std::memory_order_release);
    waiting_.wake(own.gate);
    const auto arrived = [sense](std::uint8_t now) { return now == sense; };
    for (unsigned m = 0; m < members_; ++m)
      if (m != member) waiting_.await(member, elements_[m].sets[set], elements_[m].gate, arrived);
  }

  std::size_t bytes() const { return sizeof(*this) + members_ * (sizeof(seat) + sizeof(element)); }

 private:
  struct alignas(line_bytes) seat : detail::alternation {};
  struct alignas(line_bytes) element {
    typename Machine::template word<std::uint8_t> sets[2]{};
    typename Machine::gate gate;
  };

  const unsigned members_;
  const std::unique_ptr<seat[]> seats_;
  const std::unique_ptr<element[]> elements_;
  Waiting<Machine> waiting_;
};

}  // namespace weir::barriers
