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
#include <span>

#include "openmp/support/waits.hpp"

namespace weir::openmp {

/// Written by the member's thread. The reading thread may see a note that is only partly new, but not twice the same such note.
struct wait_note {
  std::atomic<const wait_kind*> what{nullptr};  // null: the member is awake
  std::atomic<const void*> call_site{nullptr};
  std::atomic<int> thread{0};
  std::atomic<std::uint32_t> number{0};  // of its notes so far
};

/// Does anybody look for them?
bool deadlocks_are_looked_for();

/// The notes of a team's members, which are looked at as long as this exists. There are none if deadlocks are not looked for.
class wait_notes {
 public:
  explicit wait_notes(unsigned members);
  wait_notes(const wait_notes&) = delete;
  ~wait_notes();
  explicit operator bool() const { return notes_ != nullptr; }
  std::span<const wait_note> of_members() const { return {notes_.get(), members_}; }
  /// Called by this member's thread, where there are notes. Null: it is awake.
  void note(unsigned member, const wait_kind* what) const;

 private:
  const unsigned members_;
  const std::unique_ptr<wait_note[]> notes_;
};

}  // namespace weir::openmp
