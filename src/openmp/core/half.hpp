// One half of a barrier: an arrival that ends at member 0, or a release that begins there [paper 003, section IV.A].
//
// A region begins with a release and ends with an arrival, and a reduction rides on an arrival; so each takes a barrier by
// name, if that barrier has the half as a part of its own.
#pragma once

#include <string>
#include <vector>

namespace weir::openmp {

/// Who tells whom: the members are a tree, and member 0 its root. In an arrival children tell their parents, in a release
/// parents their children.
class half {
 public:
  /// The children of a member, in the order in which it waits for them, or tells them.
  struct branch {
    const unsigned* first;
    const unsigned* last;
    unsigned parent;
    const unsigned* begin() const { return first; }
    const unsigned* end() const { return last; }
  };

  /// For a name of halved_barriers(), or "auto"; std::invalid_argument for others. `shared`: more members than processors?
  static half arrival(const std::string& name, unsigned members, bool shared);
  static half release(const std::string& name, unsigned members);

  branch of(unsigned member) const {
    return {children_.data() + first_[member], children_.data() + first_[member + 1], parent_[member]};
  }
  /// One word for all, that they count on or look at, instead of a word for each.
  bool central() const { return central_; }

 private:
  half(const std::vector<std::vector<unsigned>>& children, bool central);

  bool central_;
  std::vector<unsigned> children_, first_, parent_;
};

/// The barriers that can be halved; in others (dissemination) each member learns for itself that all have come.
const std::vector<std::string>& halved_barriers();

}  // namespace weir::openmp
