// Which objects the members have used so far, and how. Objects get a number (a slot) in the order of their first use, because
// most of the words on a line are never used.
#pragma once

#include <cstdint>
#include <vector>

#include "operation.hpp"

namespace weir::explorer {

class footprints {
 public:
  static constexpr unsigned most_members = 64;
  using members = std::uint64_t;  // a bit for each

  /// Records an operation that `member` may do and returns its slots; new uses increment version().
  void note(operation& o, unsigned member);

  std::uint32_t slots() const { return static_cast<std::uint32_t>(object_.size()); }
  std::uint32_t object(std::uint32_t slot) const { return object_[slot]; }
  /// The members that may use it, and those that may change it (or sleep there, or wake others).
  members users(std::uint32_t slot) const { return used_[slot]; }
  members changers(std::uint32_t slot) const { return changed_[slot]; }
  members storers() const { return storers_; }
  /// Those that may execute a heavy fence, and those that may execute one of their own.
  members heavy_fencers() const { return heavy_fencers_; }
  members fencers() const { return fencers_; }
  /// Those that may take part in the order of sequentially consistent accesses, and those that may read there.
  members seq_cst_users() const { return seq_cst_users_; }
  members seq_cst_readers() const { return seq_cst_readers_; }
  std::uint64_t version() const { return version_; }

 private:
  std::uint32_t slot_of(std::uint32_t object);
  void set(members& marked, unsigned member);

  std::vector<std::uint32_t> slot_, object_;
  std::vector<members> used_, changed_;
  members storers_ = 0, heavy_fencers_ = 0, fencers_ = 0, seq_cst_users_ = 0, seq_cst_readers_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace weir::explorer
