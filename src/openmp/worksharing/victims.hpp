// The order in which a member looks for tasks and iterations of others: those near first, if consecutive members are near each
// other.
#pragma once

#include <bit>

namespace weir::openmp {

/// The members other than `me`, each once. The k-th differs from `me` in the bits of k, so groups of 2, 4, 8, … aligned members
/// are searched before those around them, and members that begin together look at different queues.
class victims {
 public:
  victims(unsigned me, unsigned members) : victims(me, members, 0, std::bit_ceil(members)) {}
  /// Those from `begin` up to `end` in this order. If both are multiples of a power of two, they are whole groups.
  victims(unsigned me, unsigned members, unsigned begin, unsigned end)
      : me_(me), members_(members), end_(end), step_(begin == 0 ? 0 : begin - 1) {}
  /// False: there are no more.
  bool next(unsigned& member) {
    while (++step_ < end_)
      if ((me_ ^ step_) < members_) {
        member = me_ ^ step_;
        return true;
      }
    return false;
  }

 private:
  const unsigned me_, members_, end_;
  unsigned step_;
};

}  // namespace weir::openmp
