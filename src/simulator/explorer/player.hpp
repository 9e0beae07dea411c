// Runs one member alone, in a fiber, and tells it what it reads.
//
// What members share are words, mutexes and conditions, and all of these are the explorer's own. So
// what a member does next depends only on what it has seen so far, and it can be asked without the
// others: each member has a copy of the barrier to itself, and the explorer makes up the values.
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

/// What is explored: `build` makes it, afresh for each member, and returns what a member does.
struct subject {
  using body = std::function<void(unsigned member)>;
  unsigned members = 2;
  unsigned episodes = 0;
  std::function<body()> build;
  /// The order that an operation at that place gets instead of the one that is written there. None: the written one.
  std::function<std::memory_order(const std::source_location&, std::memory_order)> order_at = {};
  /// Each look at the clock finds it this many microseconds later.
  double tick = 300;
  /// And each yield takes this many.
  double slice = 0;
  /// Are local states that come to the same taken for one (histories.hpp)? Only tests say no.
  bool join = true;
  /// Does one member do something for all in each episode, explored::complete(), before anybody leaves?
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

  player(const subject& s, unsigned member, simulator::stacks& all);

  /// From the beginning, through operations that see these values, to the next operation.
  void follow(std::vector<std::uint64_t> seen);
  /// From where it is through one more operation.
  void go_on(std::uint64_t seen);

  const operation& next() const { return next_; }
  /// Is this the value that next(), a spin, waits for?
  bool ready(std::uint64_t value) const { return test_(predicate_, value); }

  /// What it did between its last operation and the next. 0: nothing.
  unsigned first_left() const { return first_left_; }
  unsigned last_left() const { return last_left_; }
  unsigned arrives() const { return arrives_; }
  unsigned completed() const { return completed_; }
  /// All of the member's own state at the last leave: how the barrier's memory has changed.
  const digest& at_leave() const { return at_leave_; }
  /// All of its state now: the same, and its stack and registers. Who is the same goes on the same; what lies
  /// dead on the stack may keep equal ones apart, which costs time only.
  digest now() const;

  const std::vector<object>& objects() const { return objects_; }

  // From inside.
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
  simulator::stacks& stacks_;  // the member's own is the one of its number
  simulator::fiber fiber_;

  std::vector<std::uint64_t> seen_;
  std::size_t position_ = 0;
  std::uint64_t given_ = 0;

  operation next_;
  const void* predicate_ = nullptr;
  test test_ = nullptr;
  unsigned first_left_ = 0, last_left_ = 0, arrives_ = 0, completed_ = 0;
  unsigned episode_ = 0, looks_ = 0, yields_ = 0;  // looks at the clock and yields in this episode
  digest at_leave_;
};

}  // namespace weir::explorer
