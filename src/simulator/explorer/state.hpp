// A state of the whole team: the memory, the store buffers, and each member's position in its history.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "seq_cst_order.hpp"
#include "view.hpp"

namespace weir::explorer {

/// The arrivals that a member, or the reader of a word, knows of by the C++ memory model: a vector clock. Knowledge of an arrival
/// includes the same member's earlier ones, so the clocks' maximum is the union.
class knowledge {
 public:
  static constexpr unsigned capacity = 128;  // members * episodes

  void add(unsigned arrival) { bits_[arrival / 64] |= std::uint64_t{1} << (arrival % 64); }
  bool has(unsigned arrival) const { return (bits_[arrival / 64] >> (arrival % 64) & 1u) != 0; }
  void join(const knowledge& other) {
    bits_[0] |= other.bits_[0];
    bits_[1] |= other.bits_[1];
  }
  std::uint64_t half(unsigned i) const { return bits_[i]; }
  friend bool operator==(const knowledge&, const knowledge&) = default;

 private:
  std::array<std::uint64_t, 2> bits_{};
};

struct cell {
  std::uint64_t value = 0;  // of a mutex: its owner + 1
  knowledge known;          // what a member that acquires this learns
};

struct written : cell {
  view seen;  // what a member that acquires this may no longer read
};

/// The additional state of weak memory, beside the latest values.
struct past {
  struct values {
    view seen;                   // of the latest
    std::vector<written> older;  // that may still be read, oldest first
  };
  std::vector<values> cells;
  std::vector<view> members;
  view fenced;          // what the sequentially consistent fences so far know to be overwritten
  seq_cst_order order;  // empty unless the program can see it
};

/// What a release tells an acquirer.
struct message {
  knowledge known;
  view seen;
  void join(const message& other) {
    known.join(other.known);
    seen.join(other.seen);
  }
};

/// What a member's fences make of its relaxed operations.
struct fencing {
  message heard;  // by its loads: the next fence acquires it
  message told;   // by its stores: what the last fence released
};

struct buffered_store {
  std::uint32_t object;
  std::uint64_t value;
  knowledge known;
};

enum class awareness : std::uint8_t {
  awake,
  asleep,    ///< in the futex or condition that its operation names
  notified,  ///< was waiting for a condition, and now needs the mutex
};

struct member_state {
  std::uint32_t node = 0;  // of its histories
  awareness how = awareness::awake;
  knowledge known;
  std::vector<buffered_store> buffer;  // oldest first
};

struct state {
  std::vector<cell> cells;
  std::vector<member_state> members;
  past before;  // empty unless the memory is weak
  std::vector<fencing> fences;  // of each member; empty unless the program has fences
};

/// One step of a schedule: the next operation of a member, or its oldest buffered store reaching memory.
struct move {
  std::uint16_t member;
  bool drain;
  /// Weak memory: how many values before the latest it reads. Of a wake-up of one: how many sleepers it passes over.
  std::uint8_t older = 0;
  friend bool operator==(const move&, const move&) = default;
};

}  // namespace weir::explorer
