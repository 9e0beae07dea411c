#include "footprints.hpp"

namespace weir::explorer {

void footprints::set(members& marked, unsigned member) {
  const members bit = std::uint64_t{1} << (member % most_members);
  if ((marked & bit) != 0) return;
  marked |= bit;
  ++version_;
}

std::uint32_t footprints::slot_of(std::uint32_t object) {
  if (slot_.size() <= object) slot_.resize(object + 1, ~0u);
  if (slot_[object] == ~0u) {
    slot_[object] = slots();
    object_.push_back(object);
    used_.push_back(0);
    changed_.push_back(0);
  }
  return slot_[object];
}

void footprints::note(operation& o, unsigned member) {
  using kind = operation::kind;
  if (o.what == kind::end) return;
  if (o.what == kind::heavy_fence) return set(heavy_fencers_, member);
  if (o.what == kind::fence) return set(fencers_, member);
  o.object = slot_of(o.object);
  set(used_[o.object], member);
  if (o.what != kind::load && o.what != kind::spin) set(changed_[o.object], member);
  if (o.what == kind::store) set(storers_, member);
  if (o.is_seq_cst_access()) {
    set(seq_cst_users_, member);
    if (o.looks()) set(seq_cst_readers_, member);
  }
  if (o.what == kind::wait) {
    o.mutex = slot_of(o.mutex);
    set(used_[o.mutex], member);
    set(changed_[o.mutex], member);
  }
}

}  // namespace weir::explorer
