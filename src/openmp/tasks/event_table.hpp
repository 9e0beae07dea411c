// The events of detached tasks that are not fulfilled yet. A handle consists of a slot's number and the slot's generation, so the
// handle of a fulfilled event leads to no event any more. Slots are reused, and never freed. There is no lock, because nobody
// would release it in a child that is forked meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

namespace weir::openmp {

struct task;
struct member;

class event_table {
 public:
  struct event {
    task* awaiting;
    member* root;  // the member whose implicit task the task is below
  };

  std::uint64_t add(const event& e) {
    const std::uint32_t number = take_free();
    slot& s = slot_of(number);
    s.awaited = e;
    // relaxed: no other thread writes the generation of a slot that is taken. release: the event.
    const std::uint32_t generation = s.generation.load(std::memory_order_relaxed) + 1;
    s.generation.store(generation, std::memory_order_release);
    return std::uint64_t{generation} << 32 | number;
  }

  /// False: no event that is still to be fulfilled has this handle. Of several threads with one handle, one takes it.
  bool take(std::uint64_t handle, event& found) {
    const auto number = static_cast<std::uint32_t>(handle);
    auto generation = static_cast<std::uint32_t>(handle >> 32);
    if (number == 0 || (generation & 1) == 0 || number >= unused_.load(std::memory_order_relaxed)) return false;
    slot& s = slot_of(number);
    // acquire: the event.
    if (!s.generation.compare_exchange_strong(generation, generation + 1, std::memory_order_acquire, std::memory_order_relaxed))
      return false;
    found = s.awaited;
    give_back(number);
    return true;
  }

 private:
  struct slot {
    std::atomic<std::uint32_t> generation{0};  // odd: a task awaits the event
    std::atomic<std::uint32_t> next_free{0};
    event awaited{};
  };

  // Block b has the 2^b slots from number 2^b on.
  slot& slot_of(std::uint32_t number) {
    const auto b = static_cast<std::size_t>(std::bit_width(number) - 1);
    // acquire: the slots, if another thread has made them.
    slot* known = blocks_[b].load(std::memory_order_acquire);
    if (known == nullptr) {
      auto made = std::make_unique<slot[]>(std::size_t{1} << b);
      if (blocks_[b].compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) known = made.release();
    }
    return known[number - (std::uint32_t{1} << b)];
  }

  // The list of free slots is a stack [Treiber 1986]; the count in the upper half changes with each step, so that a slot which
  // has been taken and given back meanwhile is noticed.
  std::uint32_t take_free() {
    // acquire: the next of the slot, which its last user wrote.
    std::uint64_t top = free_.load(std::memory_order_acquire);
    while (static_cast<std::uint32_t>(top) != 0) {
      const auto number = static_cast<std::uint32_t>(top);
      // relaxed: if it is too old, so is the top.
      const std::uint32_t next = slot_of(number).next_free.load(std::memory_order_relaxed);
      if (free_.compare_exchange_weak(top, ((top >> 32) + 1) << 32 | next, std::memory_order_acquire)) return number;
    }
    return unused_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the number alone matters
  }
  void give_back(std::uint32_t number) {
    std::uint64_t top = free_.load(std::memory_order_relaxed);
    do {
      slot_of(number).next_free.store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
      // release: the slot's next, and that its user has read the event.
    } while (!free_.compare_exchange_weak(top, ((top >> 32) + 1) << 32 | number, std::memory_order_release,
                                          std::memory_order_relaxed));
  }

  std::array<std::atomic<slot*>, 32> blocks_{};
  std::atomic<std::uint64_t> free_{0};
  std::atomic<std::uint32_t> unused_{1};  // the lowest number that no event has had
};

}  // namespace weir::openmp
