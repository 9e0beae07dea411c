// The members of an outermost team follow its share of the processors at barriers, while their region lasts.
//
// Members that have seats take others. A team of kernel threads has no more members than processors when its region begins; where
// its share becomes smaller than that, members go to virtual processors, and back to their own threads when it grows. The primary
// thread decides, since the first of these processors is its own.
#pragma once

#include "openmp/placing/seats.hpp"

namespace weir::openmp {

/// Called by the member before it arrives, if it may_need_another_seat(). It also waits here for its program's turn.
void take_another_seat(member& me);

}  // namespace weir::openmp
