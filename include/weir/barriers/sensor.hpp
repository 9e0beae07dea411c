// SPDX-License-Identifier: Apache-2.0
// Members arrive at one counter, and each spins on a local sensor [paper 002, section 3.4].
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
class sensor {
 public:
  static constexpr barrier_properties properties{
      .name = "sensor", .about = "a fetch-and-add counter, and a local sensor for each thread",
      .phases = central_phases{.one_counter = true, .one_flag = false}};

  explicit sensor(const team& t)
      : members_(t.members),
        seats_(std::make_unique<seat[]>(t.members)),
        sensors_(std::make_unique<local_sensor[]>(t.members)),
        waiting_(t) {}

  void arrive_and_wait(unsigned member) {
    // The sensor holds the number of the episode instead of a sense: the last member does not write its own sensor, so with two
    // senses it would pass the next episode but one too early.
    const std::uint32_t own = ++seats_[member].episode;
    // acq_rel: publishes this member's writes; the last member acquires those of all.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      // relaxed: no member adds to it in the next episode before it sees its sensor, stored below with release.
      arrived_.store(0, std::memory_order_relaxed);
      for (unsigned m = 0; m < members_; ++m) {
        if (m == member) continue;
        sensors_[m].value.store(own, std::memory_order_release);
        waiting_.wake(sensors_[m].gate);
      }
      return;
    }
    local_sensor& s = sensors_[member];
    waiting_.await(member, s.value, s.gate, [own](std::uint32_t now) { return now == own; });
  }

  std::size_t bytes() const { return sizeof(*this) + members_ * (sizeof(seat) + sizeof(local_sensor)); }

 private:
  struct alignas(line_bytes) seat {
    std::uint32_t episode = 0;
  };
  struct alignas(line_bytes) local_sensor {
    typename Machine::template word<std::uint32_t> value{0};
    typename Machine::gate gate;
  };

  const unsigned members_;
  const std::unique_ptr<seat[]> seats_;
  const std::unique_ptr<local_sensor[]> sensors_;
  Waiting<Machine> waiting_;
  alignas(line_bytes) typename Machine::template word<std::uint32_t> arrived_{0};
};

}  // namespace weir::barriers
