// Deadlocks: WEIR_DEADLOCKS asks the runtime to look for teams whose members all wait, and to report where each of them waits.
//
// A member that is about to sleep notes what it waits for, and where the program called the runtime, and removes the note when it
// is awake. A thread of the runtime looks at the notes of all teams twice a second. If each member of a team has been asleep from
// one look to the next, without having been awake between them, no member can release another one, and none of them can execute a
// task: a member looks for one before it sleeps, and a new task wakes a member. A thread outside of the team might still release
// a lock or fulfil an event; such a wait counts only if no other thread of the process has run in that time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <weir/machine/gate.hpp>

#include "openmp/support/waits.hpp"

namespace weir::openmp {

struct team;
struct member;

/// Written by the member's thread. The reading thread may see a note that is only partly new, but not twice the same such note.
struct wait_note {
  std::atomic<const wait_kind*> what{nullptr};  // null: the member is awake
  std::atomic<const void*> call_site{nullptr};
  std::atomic<int> thread{0};
  std::atomic<std::uint32_t> number{0};  // of its notes so far
};

/// A note for each member of a team. Null: deadlocks are not looked for.
std::unique_ptr<wait_note[]> notes_for(unsigned size);
/// Registers a team with notes, from the team's beginning to its end.
void look_at(const team& t);
void look_away_from(const team& t);

/// In a team with notes. Null: the member is awake.
void note_wait(const member& me, const wait_kind* what);

/// The argument of waiting::experience for a wait without other work.
class noted_wait {
 public:
  noted_wait(const member& me, const wait_kind& what) : me_(me), what_(what) {}
  static constexpr bool take() { return false; }
  static constexpr bool execute() { return false; }
  void fall_asleep(const gate&) const { note(&what_); }
  void awake() const { note(nullptr); }

 private:
  void note(const wait_kind* what) const;
  const member& me_;
  const wait_kind& what_;
};

/// In its lifetime the calling thread waits awake.
class noted_wait_awake {
 public:
  explicit noted_wait_awake(const wait_kind& what);
  noted_wait_awake(const noted_wait_awake&) = delete;
  ~noted_wait_awake();

 private:
  const member* const me_;  // null: it has no note
};

}  // namespace weir::openmp
