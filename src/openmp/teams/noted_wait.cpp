#include "openmp/teams/noted_wait.hpp"

#include "openmp/settings/initial.hpp"
#include "openmp/teams/team.hpp"
#include "openmp/watching/deadlock.hpp"

namespace weir::openmp {

namespace {
void observe_lock(const wait_kind* what) { note_wait(self(), what); }

[[gnu::constructor]] void when_loaded() {
  if (initial_settings().deadlocks == deadlocks::ignore) return;
  observer_of_locks.store(observe_lock, std::memory_order_relaxed);  // relaxed: no other thread is there yet
}
}  // namespace

void note_wait(const member& me, const wait_kind* what) {
  if (me.of->waits) [[unlikely]] me.of->waits.note(me.number, what);
}

noted_wait_awake::noted_wait_awake(const wait_kind& what) : me_(deadlocks_are_looked_for() ? &self() : nullptr) {
  if (me_ != nullptr) note_wait(*me_, &what);
}
noted_wait_awake::~noted_wait_awake() {
  if (me_ != nullptr) note_wait(*me_, nullptr);
}

}  // namespace weir::openmp
