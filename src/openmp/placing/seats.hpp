// Where the members of a team run: each in a thread of the kernel, or on virtual processors (src/threads), their seats.
#pragma once

#include "openmp/placing/share.hpp"
#include "openmp/settings/in_force.hpp"
#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// Do even those teams have seats that are not larger than their share of the processors? Written when the library is loaded. So
/// it is among other programs: kernel threads cannot follow a share that becomes smaller in a region.
extern constinit bool all_have_seats;

/// How many seats a team of this size has that `me` encounters; 0: its members are threads of the kernel.
unsigned seats_of_new_team(const member& me, unsigned size);
inline unsigned seats_for(const member& me, unsigned size) {
  if (!may_have_seats() || (!all_have_seats && me.of->parent == nullptr && size <= share_of_processors())) return 0;
  return seats_of_new_team(me, size);
}

/// Called between regions, by the thread that will be member 0: decides which processors the team may take. If the team has
/// seats, they are taken in turn, beginning with that of the calling thread.
void take_seats(team& t);
/// Does the kernel thread of this seat of the team sleep, because it has nothing to do? A hint. This function and the next are
/// thread-safe.
bool sleeps(const team& t, unsigned seat);
/// Wakes this seat's kernel thread to look for bodies, also those of other seats.
void wake_seat(team& t, unsigned seat);
unsigned share_within(const team& outer);
/// Has a nested team had the seats of the team around it, or may it have had them? Then workers of several crews may wait on one
/// processor.
bool seats_have_been_shared();
inline void find_place(team& t) {
  const team& outer = *t.parent->of;
  const unsigned share = outer.parent == nullptr ? share_of_processors() : share_within(outer);
  if (t.share != share) t.share = share;
  if (t.processors != 0) take_seats(t);
}

/// Within a region (forking/follow_share.hpp): the member, which has a seat and is not the primary thread, moves to where it sits
/// if the team may take `share` processors. The barrier keeps its groups. False: it has to stay in its kernel thread for a while.
bool sit_within(member& me, unsigned share);
/// The same for a member of a team of kernel threads, as compute_on() has decided.
bool sit_as_decided(member& me);
/// The primary thread has decided that the members of a team of kernel threads sit among this number of virtual processors from
/// now on, beginning with `t.first_seat`; 0: in their own threads.
void compute_on(team& t, unsigned processors);
/// A team of kernel threads is one again, after such a region.
void forget_seats(team& t);
/// Called by the primary thread between regions, or before the team ends. Returns whether any of the members had moved.
bool forget_moves(team& t);
inline bool may_need_another_seat(const member& me) {
  return me.seated_for != 0 && me.seated_for != share_word();
}

}  // namespace weir::openmp
