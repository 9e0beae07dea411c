// The rules of the explored machine: which moves a state allows, and their effects.
//
//   sc    a store is in memory immediately.
//   tso   a store goes to the member's buffer, first in first out; its own loads see it there. The oldest store reaches memory by
//         a move of its own. Read-modify-writes, sequentially consistent stores, mutexes, conditions and system calls require the
//         buffer to be empty; the heavy fence requires all buffers to be empty.
//   weak  a load may read any value except those that the member knows to be overwritten: it has read or written a later value
//         itself, or acquired what was released by a member that had. The heavy fence makes known to all what any member knows.
//         These are C++'s orders, without behaviours that need promises or stores that overtake each other. Sequentially
//         consistent accesses have an order of their own (seq_cst_order.hpp); such a fence knows what those before it knew.
//
// In all models vector clocks judge what a program may rely on in C++: a member that leaves an episode must know of all arrivals
// in it by release stores and acquire loads, or by fences of members. Heavy fences, sleeping and waking transfer no knowledge.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "digest.hpp"
#include "histories.hpp"
#include "state.hpp"

namespace weir::explorer {

enum class memory_model { sc, tso, weak };

/// How a program's memory orders are interpreted, to learn which of them are needed.
enum class orders { as_written, without_acquire, without_release };

struct breach {
  enum class kind : std::uint8_t {
    none,
    early_leave,
    unsynchronized_leave,
    early_completion,
    unsynchronized_completion,
    second_completion,
    deadlock,
    lost_wake_up,
    too_many_steps,
  };
  kind what = kind::none;
  unsigned member = 0, other = 0, episode = 0;  // other: as many as members for the completion
  explicit operator bool() const { return what != kind::none; }
};

/// The effect of a move, for the timeline.
struct account {
  operation done;
  std::uint64_t saw = 0, wrote = 0;
  bool buffered = false, slept = false;
  unsigned arrived = 0, completed = 0, first_left = 0, last_left = 0;
};

class rules {
 public:
  /// Throws std::invalid_argument if members * episodes exceeds the clocks' capacity.
  rules(const subject& s, memory_model m, unsigned most_steps, orders meant = orders::as_written);

  state begin(breach& found);
  bool enabled(const state& s, move m);
  /// By an operation of its own, not by its buffer.
  bool can_move(const state& s, unsigned member) { return enabled(s, {static_cast<std::uint16_t>(member), false}); }
  void moves(const state& s, std::vector<move>& found);
  breach apply(state& s, move m, account* told = nullptr);

  bool finished(const state& s, unsigned member) const;
  /// Called when no move is left: no breach, a deadlock or a lost wake-up.
  breach judge_end(const state& s) const;
  digest digest_of(const state& s) const;

  const operation& next(const state& s, unsigned member) const {
    return members_[member]->at(s.members[member].node).next;
  }
  std::uint64_t value(const state& s, move m, std::uint32_t object) const;
  static bool needs_empty_buffer(const operation& o);

  unsigned members() const { return static_cast<unsigned>(members_.size()); }
  unsigned episodes() const { return episodes_; }
  memory_model memory() const { return memory_; }
  /// "line 3.word 0", "gate 1", ...
  std::string name_of(std::uint32_t slot) const { return names_[prints_.object(slot)]; }
  const footprints& prints() const { return prints_; }
  bool ordered() const;
  /// What a state contains beside memory depends on this. If it changes, earlier states lack something.
  std::pair<footprints::members, bool> recorded() const { return {prints_.fencers(), ordered()}; }
  std::size_t local_states() const;

 private:
  bool acquires(const operation& o) const;
  bool releases(const operation& o) const;
  void name_objects();
  void grow(state& s) const;
  // The clocks' parties are the members and the completion, if there is one: running it is its arrival.
  unsigned event(unsigned party, unsigned episode) const { return (episode - 1) * parties_ + party; }
  bool happened(const state& s, unsigned party, unsigned episode) const;
  breach unknown(const state& s, unsigned member, unsigned episode, unsigned parties, breach::kind early,
                 breach::kind unsynchronized) const;
  bool weak() const { return memory_ == memory_model::weak; }
  void arrive(state& s, unsigned member, unsigned episode);
  breach complete(state& s, unsigned member, unsigned episode);
  breach go_on(state& s, unsigned member, std::uint64_t seen, account* told);
  breach leave(state& s, unsigned member, unsigned first, unsigned last);
  bool fences(unsigned member) const { return (prints_.fencers() >> (member % footprints::most_members) & 1u) != 0; }
  const cell& read(const state& s, move m, std::uint32_t object) const;
  static unsigned number(const state& s, move m, std::uint32_t object);
  message released(const state& s, move m, std::uint32_t object) const;
  unsigned oldest(const state& s, unsigned member, const operation& o) const;
  void load(state& s, move m, const operation& o);
  void receive(state& s, move m, const operation& o);
  void acquire(state& s, move m, std::uint32_t object);
  message tells(const state& s, unsigned member, const operation& o) const;
  void store(state& s, unsigned member, const operation& o, bool buffered);
  void write(state& s, unsigned member, std::uint32_t object, const cell& c, const view& seen);
  void release_mutex(state& s, unsigned member, std::uint32_t mutex);
  void update(state& s, move m, const operation& o, account* told);
  void fence(state& s, unsigned member, const operation& o);
  static void heavy_fence(state& s);
  void forget_overwritten(state& s);
  void forget_member(state& s, unsigned member);
  unsigned sleepers_at(const state& s, std::uint32_t object) const;
  breach wake(state& s, const operation& o, unsigned passed_over);

  const unsigned episodes_;
  const unsigned parties_;
  const memory_model memory_;
  const unsigned most_steps_;
  const orders orders_;
  simulator::stacks stacks_;
  footprints prints_;
  std::vector<std::unique_ptr<histories>> members_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> initial_;  // by object
};

}  // namespace weir::explorer
