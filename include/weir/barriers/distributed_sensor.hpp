// SPDX-License-Identifier: Apache-2.0
// Distributed counters with local sensors: each member has a padded counter element and a local sensor, and one designated master
// gathers the arrivals and releases the members [paper 002, section 3.4, Algorithm 1].
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
class distributed_sensor {
 public:
  static constexpr barrier_properties properties{
      .name = "distributed-sensor", .about = "a counter element and a local sensor for each thread, gathered by a master",
      .phases = central_phases{.one_counter = false, .one_flag = false}};

  explicit distributed_sensor(const team& t)
      : members_(t.members), seats_(std::make_unique<seat[]>(t.members)), waiting_(t) {}

  void arrive_and_wait(unsigned member) {
    seat& own = seats_[member];
    if (member == master) {
      for (unsigned m = 1; m < members_; ++m) {
        seat& other = seats_[m];
        waiting_.await(member, other.counter, other.counter_gate, [](std::uint32_t now) { return now == 0; });
      }
      // One set is enough: the master resets the counters before it releases any member, and each member
      // resets its own sensor. relaxed: the sensor's release store orders it.
      for (unsigned m = 1; m < members_; ++m) seats_[m].counter.store(1, std::memory_order_relaxed);
      for (unsigned m = 1; m < members_; ++m) {
        // release: the counter's reset, and the writes of all members, before the sensor.
        seats_[m].sensor.store(0, std::memory_order_release);
        waiting_.wake(seats_[m].sensor_gate);
      }
      return;
    }
    // release: publishes this member's writes to the master, which acquires them.
    own.counter.store(0, std::memory_order_release);
    waiting_.wake(own.counter_gate);
    waiting_.await(member, own.sensor, own.sensor_gate, [](std::uint32_t now) { return now == 0; });
    // relaxed: the master writes it next only after this member has arrived again.
    own.sensor.store(1, std::memory_order_relaxed);
  }

  std::size_t bytes() const { return sizeof(*this) + members_ * sizeof(seat); }

 private:
  static constexpr unsigned master = 0;

  struct seat {
    alignas(line_bytes) typename Machine::template word<std::uint32_t> counter{1};
    typename Machine::gate counter_gate;
    // Not on the counter's line: the paper found that a shared line loses most of what the sensor gains.
    alignas(line_bytes) typename Machine::template word<std::uint32_t> sensor{1};
    typename Machine::gate sensor_gate;
  };

  const unsigned members_;
  const std::unique_ptr<seat[]> seats_;
  Waiting<Machine> waiting_;
};

}  // namespace weir::barriers
