// Some programs have one region, which lasts, and whose members meet at barriers. On how many processors it computes is chosen
// at barriers of the primary thread, as between regions elsewhere (region_sites.hpp): a trial compares the time from one
// barrier to a later one. Members follow where they arrive next: teams of kernel threads go to virtual processors, and back.
//
// Barriers pay nothing for it as long as the watch has not seen the region last. Then members look at each barrier for their
// seats, and where barriers are short, they do so now and then only.
#pragma once

#include "openmp/placing/seats.hpp"

namespace weir::openmp {

/// In a long region, the members of an outermost team move at barriers when the team may take more processors, or fewer, or is
/// to compute on others, and wait there for their program's turn. Called by the member before it arrives, if it
/// may_need_another_seat().
void take_another_seat(member& me);

}  // namespace weir::openmp
