// The notes of what members wait for (deadlock.hpp), as members make them.
#pragma once

#include <weir/machine/gate.hpp>

#include "openmp/support/waits.hpp"

namespace weir::openmp {

struct member;

/// Nothing where the team has no notes. Null: the member is awake.
void note_wait(const member& me, const wait_kind* what);

/// The argument of waiting::experience for a wait without other work.
class noted_wait {
 public:
  noted_wait(const member& me, const wait_kind& what) : me_(me), what_(what) {}
  static constexpr bool take() { return false; }
  static constexpr bool execute() { return false; }
  void fall_asleep(const gate&) const { note_wait(me_, &what_); }
  void awake() const { note_wait(me_, nullptr); }

 private:
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
