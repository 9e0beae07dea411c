#include "seq_cst_order.hpp"

#include <algorithm>

namespace weir::explorer {

void seq_cst_order::grow(std::size_t words, unsigned members) {
  words_.resize(words);
  members_.resize(members);
}

unsigned seq_cst_order::oldest(unsigned member, std::uint32_t word, bool seq_cst) const {
  return seq_cst ? members_[member].before.of(word) : members_[member].fence.of(word);
}

template <class What>
void seq_cst_order::for_each(What what) {
  for (of_member& m : members_)
    for (precedents* p : {&m.before, &m.fence, &m.heard, &m.released}) what(*p);
  for (of_word& w : words_) {
    what(w.readers);
    for (of_value& v : w.values) {
      what(v.operations);
      what(v.released);
    }
  }
}

void seq_cst_order::read(unsigned by, std::uint32_t at, unsigned number, bool seq_cst) {
  of_member& me = members_[by];
  of_word& w = words_[at];
  if (seq_cst) {
    me.before.join(w.values[number].operations);
    me.before.reach(at, number);
  }
  const precedents first = seq_cst ? me.before : me.fence;
  if (first == precedents{}) return;
  if (number + 1 == w.values.size()) return w.readers.join(first);
  for (std::size_t later = number + 1; later < w.values.size(); ++later) w.values[later].operations.join(first);
  for_each([&](precedents& p) {
    if (p.of(at) > number) p.join(first);
  });
}

void seq_cst_order::acquire(unsigned by, std::uint32_t at, unsigned number) {
  members_[by].before.join(words_[at].values[number].released);
}

void seq_cst_order::hear(unsigned by, std::uint32_t at, unsigned number) {
  members_[by].heard.join(words_[at].values[number].released);
}

void seq_cst_order::write(unsigned by, std::uint32_t at, bool seq_cst, bool releases, bool updates) {
  of_member& me = members_[by];
  of_word& w = words_[at];
  of_value made{w.values.back().operations, releases ? me.before : me.released};
  if (updates) made.released.join(w.values.back().released);
  made.operations.join(w.readers);
  if (seq_cst) {
    me.before.join(made.operations);
    me.before.reach(at, w.values.size());
    made.operations = me.before;
  } else {
    made.operations.join(me.fence);
  }
  w.readers = {};
  w.values.push_back(made);
}

void seq_cst_order::acquire_by_fence(unsigned by) {
  members_[by].before.join(members_[by].heard);
  members_[by].heard = {};
}

void seq_cst_order::fence(unsigned by, view& known) {
  of_member& me = members_[by];
  for (std::uint32_t at = 0; at < words_.size(); ++at) me.before.join(words_[at].values[known.of(at)].operations);
  me.before.join(known);
  me.fence = known = me.before;
}

void seq_cst_order::forget(std::uint32_t at, unsigned values) {
  for_each([&](precedents& p) { p.forget(at, values); });
  auto& stored = words_[at].values;
  stored.erase(stored.begin(), stored.begin() + std::min<std::ptrdiff_t>(values, std::ssize(stored) - 1));
}

void seq_cst_order::add_to(digester& d) const {
  const auto add = [&, slots = words_.size()](const precedents& p) { p.add_to(d, slots); };
  for (const of_member& m : members_)
    for (const precedents* p : {&m.before, &m.fence, &m.heard, &m.released}) add(*p);
  for (const of_word& w : words_) {
    add(w.readers);
    for (const of_value& v : w.values) {
      add(v.operations);
      add(v.released);
    }
  }
}

}  // namespace weir::explorer
