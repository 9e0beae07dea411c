// Where the members of a team run: each in a thread of the kernel, or on virtual processors (src/threads), their seats.
#pragma once

#include "openmp/core/in_force.hpp"

namespace weir::openmp {

struct member;
struct team;

/// May teams of this process run on virtual processors? Else its threads cannot lend themselves.
inline bool may_have_seats() { return (seldom::in_force & seldom::virtual_processors) != 0; }

/// How many seats a team of this size has that `me` encounters; 0: its members are threads of the kernel.
unsigned seats_of_new_team(const member& me, unsigned size);
inline unsigned seats_for(const member& me, unsigned size) { return may_have_seats() ? seats_of_new_team(me, size) : 0; }

/// Between regions, by the thread that will be its member 0: which processors it may take, and if it has seats, which: in turn, from
/// the calling thread's own on.
void find_place(team& t);

}  // namespace weir::openmp
