// SPDX-License-Identifier: Apache-2.0
// Barriers that block on condition variables [paper 001, section 3.1].
//
// The paper's pseudo-code flips the flag without the mutex, so a member that has tested the flag
// but not yet begun to wait can miss the broadcast; here the flag is flipped under each mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include <weir/barriers/properties.hpp>
#include <weir/machine/machine.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir::barriers {

/// Members in groups of `group_size`, each group with a mutex and a condition variable of its own.
template <class Machine, template <class> class Waiting, unsigned GroupSize>
class condvar_groups {
 public:
  explicit condvar_groups(const team& t)
      : members_(t.members),
        groups_(GroupSize == 0 ? 1 : (t.members + GroupSize - 1) / GroupSize),
        seats_(std::make_unique<seat[]>(t.members)),
        rooms_(std::make_unique<room[]>(groups_)),
        waiting_(t) {}

  void arrive_and_wait(unsigned member) {
    const std::uint32_t episode = ++seats_[member].episode;
    // acq_rel: publishes this member's writes; the last member acquires those of all.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      // relaxed: no member adds to it in the next episode before its group is released below.
      arrived_.store(0, std::memory_order_relaxed);
      for (unsigned g = 0; g < groups_; ++g) release(rooms_[g], episode);
      return;
    }
    room& own_room = rooms_[GroupSize == 0 ? 0 : member / GroupSize];
    const auto over = [episode](std::uint32_t now) { return now == episode; };
    // A spinning or yielding policy never returns false; members with another policy sleep here.
    if (waiting_.poll(member, own_room.episode, over, co_located::unknown)) return;
    std::unique_lock lock(own_room.mutex);
    // relaxed: it is stored under the mutex.
    while (!over(own_room.episode.load(std::memory_order_relaxed))) own_room.released.wait(lock);
  }

  std::size_t bytes() const { return sizeof(*this) + members_ * sizeof(seat) + groups_ * sizeof(room); }

 private:
  struct alignas(line_bytes) seat {
    std::uint32_t episode = 0;
  };
  struct alignas(line_bytes) room {
    typename Machine::mutex mutex;
    typename Machine::condition released;
    typename Machine::template word<std::uint32_t> episode{0};
  };

  static void release(room& r, std::uint32_t episode) {
    {
      const std::lock_guard lock(r.mutex);
      // release: for members that poll; those that sleep are ordered by the mutex.
      r.episode.store(episode, std::memory_order_release);
    }
    r.released.notify_all();
  }

  const unsigned members_;
  const unsigned groups_;
  const std::unique_ptr<seat[]> seats_;
  const std::unique_ptr<room[]> rooms_;
  Waiting<Machine> waiting_;
  alignas(line_bytes) typename Machine::template word<std::uint32_t> arrived_{0};
};

template <class Machine, template <class> class Waiting>
class condvar : public condvar_groups<Machine, Waiting, 0> {
 public:
  static constexpr barrier_properties properties{
      .name = "condvar", .about = "a counter, one mutex and one condition variable"};
  using condvar_groups<Machine, Waiting, 0>::condvar_groups;
};

template <class Machine, template <class> class Waiting>
class condvar_pairs : public condvar_groups<Machine, Waiting, 2> {
 public:
  static constexpr barrier_properties properties{
      .name = "condvar-pairs", .about = "a counter, a mutex and a condition variable for each pair"};
  using condvar_groups<Machine, Waiting, 2>::condvar_groups;
};

}  // namespace weir::barriers
