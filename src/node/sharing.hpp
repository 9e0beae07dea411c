// This program among those that divide the processors of the node.
#pragma once

#include <cstdint>
#include <string>

#include "node/grants.hpp"
#include "node/table.hpp"

namespace weir::node {

/// WEIR_SHARE_DIR; empty if it is not set, or the program has more rights than its user.
std::string named_place();
/// The named place, or the usual one.
std::string place_of_table();
/// The usual place may have to be made.
void make_place_of_table(const std::string& place);

/// How long a processor that is left over stays with one program. A change costs a program two regions with new seats.
inline constexpr std::uint64_t turn_ns = 20'000'000;
/// How long it takes until the processors that are left over go to other programs, in nanoseconds.
std::uint64_t until_turn(std::uint64_t now);

class sharing {
 public:
  struct demand {
    processor_set may_use;
    unsigned wants = 1;
    bool is_busy = true;
  };

  sharing(std::string folder, unsigned weight);
  ~sharing() { leave(); }
  sharing(const sharing&) = delete;

  /// Tells the others what this program wants, and finds what it may have: if it is not busy, what it would have if it were.
  /// `now`: in nanoseconds of the monotonic clock. If the table cannot be used, the program has all that it may use.
  grant look(const demand&, std::uint64_t now);
  /// Empty: all is well. Otherwise why the processors are not shared.
  const std::string& why_not() const { return why_not_.empty() ? table_.why_not() : why_not_; }
  /// For good, and before the process ends, too.
  void leave() { table_.leave(); }
  /// In the child of a fork: the entry is the parent's.
  void abandon() { table_.abandon(); }

 private:
  table table_;
  std::string why_not_;  // until the next look
  program mine_;
};

/// What those are granted that compute now, in the programs' order; the others are granted nothing. For who only looks on.
std::vector<grant> grants_now(const std::vector<program>& programs, std::uint64_t now);

}  // namespace weir::node
