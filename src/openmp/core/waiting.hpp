// What the runtime's waits ask before they begin: how long to stay awake, and whether the team is oversubscribed.
#pragma once

namespace weir::openmp {

struct team;

/// How long a member waits awake on a processor that nobody else wants, in microseconds; negative: not at all.
double awake_us();

/// Would a team of this size have more members than the process has processors?
bool oversubscribed(unsigned size);
/// Does this team have more members than the processors that it is bound to, or than the process has?
bool oversubscribed(const team& t);

}  // namespace weir::openmp
