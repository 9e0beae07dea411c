// One half of a barrier: an arrival that ends at member 0, or a release that begins there [paper 003, section IV.A].
//
// A region begins with a release and ends with an arrival, and an arrival carries a reduction. For each of these a user may
// choose a barrier by name, if the barrier consists of two halves.
#pragma once

#include <string>
#include <vector>

namespace weir::openmp {

/// Which member signals which: the members form a tree, and member 0 is its root. In an arrival children signal their
/// parents, in a release parents their children.
class half {
 public:
  /// The children of a member, in the order in which it waits for them, or signals them.
  struct branch {
    const unsigned* first;
    const unsigned* last;
    unsigned parent;
    const unsigned* begin() const { return first; }
    const unsigned* end() const { return last; }
  };

  /// For the name of a barrier that consists of two halves, or "auto"; std::invalid_argument for others. In a barrier without
  /// halves (dissemination) each member finds out by itself that all have arrived.
  /// `seats`: members m, m + seats, m + 2 seats, … run on one virtual processor; 0: each is a thread of the kernel.
  static half arrival(const std::string& name, unsigned members, bool oversubscribed, unsigned seats = 0);
  /// The same at the end of a region. In a large team "auto" gathers many members at each step; `near`: so many consecutive
  /// members are near each other, 0: unknown.
  static half join(const std::string& name, unsigned members, bool oversubscribed, unsigned seats, unsigned near);
  static half release(const std::string& name, unsigned members);

  branch of(unsigned member) const {
    return {children_.data() + first_[member], children_.data() + first_[member + 1], parent_[member]};
  }
  /// Do all members count in one word, or wait for one word, instead of a word for each?
  bool central() const { return central_; }
  /// In a central arrival: members m, m + groups, m + 2 groups, … count in a word of their group, and the last member of each
  /// group counts in the word for all. There are fewer groups than members. If there are more seats than groups, several seats
  /// share a group.
  unsigned groups() const { return groups_; }
  static constexpr unsigned most_groups = 16;

 private:
  half(const std::vector<std::vector<unsigned>>& children, bool central, unsigned groups = 1);

  bool central_;
  unsigned groups_;
  std::vector<unsigned> children_, first_, parent_;
};

}  // namespace weir::openmp
