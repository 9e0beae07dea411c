// SPDX-License-Identifier: Apache-2.0
// A central counter and a flag whose sense flips with each episode [paper 001, section 3.2; 004].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <weir/barriers/properties.hpp>
#include <weir/machine/machine.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir::barriers {

template <class Machine, template <class> class Waiting>
class sense {
 public:
  static constexpr barrier_properties properties{
      .name = "sense", .about = "a central counter and a sense-reversing flag",
      .phases = central_phases{.one_counter = true, .one_flag = true}};

  explicit sense(const team& t) : members_(t.members), seats_(std::make_unique<seat[]>(t.members)), waiting_(t) {}

  void arrive_and_wait(unsigned member) {
    arrive_and_wait(member, [] {});
  }

  /// The last member to arrive runs `completion` before any member leaves [paper 004, "The combined barrier"].
  template <class Completion>
  void arrive_and_wait(unsigned member, Completion&& completion) {
    const std::uint32_t own_sense = seats_[member].sense ^= 1u;
    // acq_rel: publishes this member's writes; the last member acquires those of all.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      // relaxed: no member adds to it in the next episode before the release below.
      arrived_.store(0, std::memory_order_relaxed);
      completion();
      // release: the reset, the completion, and the writes of all members, before the flag.
      sense_.store(own_sense, std::memory_order_release);
      waiting_.wake(gate_);
      return;
    }
    waiting_.await(member, sense_, gate_, [own_sense](std::uint32_t now) { return now == own_sense; });
  }

  std::size_t bytes() const { return sizeof(*this) + members_ * sizeof(seat); }

 private:
  struct alignas(line_bytes) seat {
    std::uint32_t sense = 0;
  };

  const unsigned members_;
  const std::unique_ptr<seat[]> seats_;
  Waiting<Machine> waiting_;
  // The flag has a line of its own: members that spin on it must not slow members that still add to the counter.
  alignas(line_bytes) typename Machine::template word<std::uint32_t> arrived_{0};
  alignas(line_bytes) typename Machine::template word<std::uint32_t> sense_{0};
  typename Machine::gate gate_;
};

}  // namespace weir::barriers
