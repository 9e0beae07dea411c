#include "reduction.hpp"

#include <bit>

namespace weir::explorer {

namespace {

using kind = operation::kind;
using members = footprints::members;

members bit(unsigned member) { return members{1} << member; }

bool only_looks(const operation& o) { return o.what == kind::load || o.what == kind::spin; }

class closure {
 public:
  closure(rules& r, const state& s) : r_(r), s_(s), p_(r.prints()) {
    for (unsigned m = 0; m < r.members(); ++m)
      if (!r.finished(s, m)) alive_ |= bit(m);
  }

  members of(unsigned first) {
    members set = bit(first);
    for (members left = set; left != 0;) {
      const auto m = static_cast<unsigned>(std::countr_zero(left));
      left &= left - 1;
      const members more = conflicts(m) & alive_ & ~set;
      set |= more;
      left |= more;
    }
    return set;
  }

 private:
  bool tso() const { return r_.memory() == memory_model::tso; }
  bool weak() const { return r_.memory() == memory_model::weak; }

  /// The members that may do something that depends on a use of this slot.
  members against(std::uint32_t slot, bool looks) const { return looks ? p_.changers(slot) : p_.users(slot); }

  members conflicts(unsigned m) {
    const member_state& me = s_.members[m];
    members result = weak() ? p_.heavy_fencers() : 0;  // a heavy fence changes what every member may read
    if (!me.buffer.empty()) result |= against(me.buffer.front().object, false) | p_.heavy_fencers();
    const operation& o = r_.next(s_, m);
    switch (o.what) {
      case kind::end: return result;
      case kind::fence:
        if (!weak()) return result;
        return result | (r_.ordered() ? ~members{0} : p_.fencers());
      case kind::heavy_fence:
        if (weak()) return ~members{0};
        if (!tso()) return result;
        // Depends on each store and, if buffers delay it, on the members whose buffers they are.
        for (unsigned other = 0; other < r_.members(); ++other)
          if (!s_.members[other].buffer.empty()) result |= bit(other);
        return result | p_.storers();
      case kind::store:
        if (tso() && !r_.needs_empty_buffer(o)) return result | p_.heavy_fencers();  // into its own buffer
        break;
      default: break;
    }
    if (!me.buffer.empty() && r_.needs_empty_buffer(o)) return result;  // its own buffer holds it up
    // If it cannot continue, the members that change this slot may enable it: the same members.
    result |= against(o.object, only_looks(o));
    // An old value that is read here may exclude one that another member reads elsewhere: by a sequentially consistent read, or,
    // if there are fences, by any.
    if (r_.ordered() && o.looks()) {
      if (p_.fencers() != 0) return ~members{0};
      if (o.is_seq_cst_access()) result |= p_.seq_cst_readers();
    }
    if (o.what == kind::wait) result |= against(o.mutex, false);
    return result;
  }

  rules& r_;
  const state& s_;
  const footprints& p_;
  members alive_ = 0;
};

}  // namespace

bool is_independent(rules& r, const state& s, unsigned member) {
  return r.members() <= footprints::most_members && closure(r, s).of(member) == bit(member);
}

void reduce(rules& r, const state& s, const std::vector<move>& moves, std::vector<move>& chosen) {
  chosen = moves;
  if (moves.size() < 2 || r.members() > footprints::most_members) return;
  if (r.memory() == memory_model::tso && r.prints().heavy_fencers() == 0)
    // A store goes to the member's own buffer, which only a heavy fence sees; draining takes the other end.
    for (const move m : moves)
      if (const operation& o = r.next(s, m.member); !m.drain && o.what == kind::store && !r.needs_empty_buffer(o)) {
        chosen = {m};
        return;
      }
  closure c(r, s);
  members best = ~members{0};
  std::size_t fewest = moves.size();
  for (const move& first : moves) {
    const members set = c.of(first.member);
    std::size_t count = 0;
    for (const move m : moves) count += (set & bit(m.member)) != 0;
    if (count < fewest) {
      fewest = count;
      best = set;
    }
  }
  if (fewest == moves.size()) return;
  std::erase_if(chosen, [best](move m) { return (best & bit(m.member)) == 0; });
}

}  // namespace weir::explorer
