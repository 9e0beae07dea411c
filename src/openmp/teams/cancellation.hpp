// Cancellation of regions and of worksharing constructs [OpenMP 5.2, 11.5]; that of taskgroups is in the room tasks. The
// compiler's code asks at each cancellation point whether its construct is cancelled, and jumps to the construct's end.
//
// All of this applies only if OMP_CANCELLATION is true. The barriers of all teams are then those of cancellable_barrier.hpp,
// since a member that waits at a barrier must be able to leave it.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/native.hpp>

#include "openmp/settings/in_force.hpp"
#include "openmp/teams/above.hpp"
#include "openmp/teams/cancellable_barrier.hpp"
#include "openmp/teams/thread.hpp"

namespace weir::openmp {

enum class cancellable { region, worksharing, task_group };

/// The state of a team's cancellation.
struct team_cancellation {
  explicit team_cancellation(unsigned members) : barrier(members) {}
  cancellable_barrier<native> barrier;
  gate waiters;
  // The worksharing construct that is cancelled, by the barrier at which it ends (member::barriers); 0: none. A construct that
  // can be cancelled has no nowait clause, so between two barriers there is one at most.
  std::atomic<std::uint32_t> worksharing{0};
};

/// Cancels the innermost construct of this kind. False: cancellation is not in force.
bool cancel(member& me, cancellable what);
/// A cancellation point. True: the construct is cancelled, and the caller goes to its end.
bool meets_cancellation(member& me, cancellable what);
/// The same question, asked elsewhere.
bool is_cancelled(const member& me, cancellable what);

/// Is the team's region cancelled? Only where cancellation is in force.
bool is_cancelled(const team& t);
/// How many members begin the construct that has this number in their count `begun`: all members, except those that left the
/// cancelled region before that construct.
unsigned participants(const team& t, std::uint32_t member::*begun, std::uint32_t construct);
/// Have all participants left this construct (their number is `left`), although they are fewer than the members? Otherwise the
/// last member to leave clears the construct away.
bool is_abandoned(const team& t, std::uint32_t member::*begun, std::uint32_t construct, unsigned left);
/// Is the region cancelled, or one of the taskgroups that the task is in?
bool is_cancelled(const member& me, const task& executed);

/// The barrier of a team where cancellation is in force.
bool pass_cancellable_barrier(member& me, bool may_leave);
/// Before each region, by its primary thread: nothing is cancelled.
void forget_cancellation(team& t);

}  // namespace weir::openmp
