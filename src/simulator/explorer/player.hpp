// Runs one member alone, in a fiber, and supplies the values that it reads.
//
// Members share only words, mutexes and conditions, all of which belong to the explorer. So a member's next operation depends
// only on what it has read so far, and it can run without the others: each member has a copy of the barrier to itself, and the
// explorer supplies the values.
#pragma once

#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "arena.hpp"
#include "fiber.hpp"
#include "operation.hpp"

namespace weir::explorer {

/// The subject of an exploration: `build` creates it anew for each member, and returns the member's program.
struct subject {
  using body = std::function<void(unsigned member)>;
  unsigned members = 2;
  unsigned episodes = 0;
  std::function<body()> build;
  /// The memory order that replaces the written one at that place. None: the written one.
  std::function<std::memory_order(const std::source_location&, std::memory_order)> order_at = {};
  /// Each reading of the clock is this many microseconds after the previous one.
  double tick = 300;
  /// And each yield takes this long.
  double slice = 0;
  /// Whether equal local states are merged (histories.hpp). Only tests say no.
  bool join = true;
  /// Whether one member runs a completion, explored::complete(), in each episode before any member leaves.
  bool completes = false;
};

class player {
 public:
  struct object {
    object_kind kind;
    std::uint8_t bytes;
    std::uint64_t initial;
    const void* address;
  };

  player(const subject& s, unsigned member, simulator::stacks& stacks);

  /// Runs from the beginning, through operations that read these values, to the next operation.
  void follow(std::vector<std::uint64_t> seen);
  /// Runs one more operation from the current state.
  void go_on(std::uint64_t seen);

  const operation& next() const { return next_; }
  /// Whether next(), a spin, waits for this value.
  bool ready(std::uint64_t value) const { return test_(predicate_, value); }

  /// The events between its last operation and the next; 0: none.
  unsigned first_left() const { return first_left_; }
  unsigned last_left() const { return last_left_; }
  unsigned arrives() const { return arrives_; }
  unsigned completed() const { return completed_; }
  /// A digest of the member's state at its last leave: the changes of the barrier's memory.
  const digest& at_leave() const { return at_leave_; }
  /// A digest of its state now: the same, with its stack and registers. Equal states behave equally; dead data on the stack may
  /// separate equal states, which costs only time.
  digest now() const;

  const std::vector<object>& objects() const { return objects_; }

  // Called inside the fiber.
  using test = bool (*)(const void* predicate, std::uint64_t value);
  static player& here() { return *here_; }
  std::uint32_t add(object_kind kind, std::uint8_t bytes, std::uint64_t initial, const void* address);
  std::uint64_t perform(const operation& o, const void* predicate = nullptr, test t = nullptr);
  std::memory_order order(const std::source_location& at, std::memory_order written) const;
  void arrive(unsigned episode) { arrives_ = episode; }
  void complete(unsigned episode) { completed_ = episode; }
  void leave(unsigned episode);
  std::uint64_t ticks();
  void yield() { ++yields_; }

 private:
  void resume();

  static constinit thread_local player* here_;

  const unsigned member_;
  const double tick_, slice_;
  const decltype(subject::order_at) order_at_;
  arena arena_;
  subject::body* body_ = nullptr;  // in the arena, never destroyed
  std::vector<object> objects_;
  simulator::stacks& stacks_;  // the member's own stack has its number
  simulator::fiber fiber_;

  std::vector<std::uint64_t> seen_;
  std::size_t position_ = 0;
  std::uint64_t given_ = 0;

  operation next_;
  const void* predicate_ = nullptr;
  test test_ = nullptr;
  unsigned first_left_ = 0, last_left_ = 0, arrives_ = 0, completed_ = 0;
  unsigned episode_ = 0, looks_ = 0, yields_ = 0;  // clock readings and yields in this episode
  digest at_leave_;
};

}  // namespace weir::explorer
