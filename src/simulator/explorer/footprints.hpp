// Which objects the members have been seen to use, and how. Objects that are used get a number (a slot)
// in the order of their first use: of the many words on a line most never are.
#pragma once

#include <cstdint>
#include <vector>

#include "operation.hpp"

namespace weir::explorer {

class footprints {
 public:
  static constexpr unsigned most_members = 64;
  using members = std::uint64_t;  // a bit for each

  /// The slots of an operation that `member` may do; what is new counts in version().
  void note(operation& o, unsigned member);

  std::uint32_t slots() const { return static_cast<std::uint32_t>(object_.size()); }
  std::uint32_t object(std::uint32_t slot) const { return object_[slot]; }
  /// Who may use it; who may change it (or who sleeps there, or wakes).
  members users(std::uint32_t slot) const { return used_[slot]; }
  members changers(std::uint32_t slot) const { return changed_[slot]; }
  members storers() const { return storers_; }
  members fencers() const { return fencers_; }
  std::uint64_t version() const { return version_; }

 private:
  std::uint32_t slot_of(std::uint32_t object);
  void set(members& all, unsigned member);

  std::vector<std::uint32_t> slot_, object_;
  std::vector<members> used_, changed_;
  members storers_ = 0, fencers_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace weir::explorer
