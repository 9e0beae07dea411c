// SPDX-License-Identifier: Apache-2.0
// One counter that all add to and all spin on: the simplest barrier [paper 002, section 3.1].
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
class counter {
 public:
  static constexpr barrier_properties properties{
      .name = "counter", .about = "one fetch-and-add counter that all spin on",
      .phases = central_phases{.one_counter = true, .one_flag = true}};

  explicit counter(const team& t)
      : members_(t.members), seats_(std::make_unique<seat[]>(t.members)), waiting_(t) {}

  void arrive_and_wait(unsigned member) {
    // The paper counts down and needs a new counter for each episode. This one is never reset:
    // episode e is over when the counter reaches members * e, modulo 2^32.
    const std::uint32_t goal = seats_[member].goal += members_;
    // acq_rel: publishes this member's writes; the last member acquires those of all.
    const std::uint32_t arrived = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (arrived == goal) {
      waiting_.wake(gate_);
      return;
    }
    // Fast members may have added their arrivals at the next episode already, hence ">=".
    waiting_.await(member, arrived_, gate_, [goal](std::uint32_t now) { return static_cast<std::int32_t>(now - goal) >= 0; });
  }

  std::size_t bytes() const { return sizeof(*this) + members_ * sizeof(seat); }

 private:
  struct alignas(line_bytes) seat {
    std::uint32_t goal = 0;
  };

  const unsigned members_;
  const std::unique_ptr<seat[]> seats_;
  Waiting<Machine> waiting_;
  alignas(line_bytes) typename Machine::template word<std::uint32_t> arrived_{0};
  typename Machine::gate gate_;
};

}  // namespace weir::barriers
