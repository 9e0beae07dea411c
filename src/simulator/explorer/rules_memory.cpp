// What operations do to memory, and to what members know of it.
#include <algorithm>
#include <stdexcept>

#include "rules.hpp"

namespace weir::explorer {

bool rules::acquires(const operation& o) const {
  if (orders_ == orders::without_acquire) return false;
  return o.order != std::memory_order_relaxed && o.order != std::memory_order_release;
}

bool rules::releases(const operation& o) const {
  if (orders_ == orders::without_release) return false;
  return o.order != std::memory_order_relaxed && o.order != std::memory_order_acquire;
}

// Whether anything that a member reads can depend on the order of sequentially consistent operations.
bool rules::ordered() const {
  return weak() && prints_.seq_cst_users() != 0 && (prints_.seq_cst_readers() != 0 || prints_.fencers() != 0);
}

const cell& rules::read(const state& s, move m, std::uint32_t object) const {
  if (m.older == 0) return s.cells[object];
  const auto& older = s.before.cells[object].older;
  return older[older.size() - m.older];
}

unsigned rules::number(const state& s, move m, std::uint32_t object) {
  return static_cast<unsigned>(s.before.cells[object].older.size() - m.older);
}

message rules::released(const state& s, move m, std::uint32_t object) const {
  if (!weak()) return {read(s, m, object).known, {}};
  return {read(s, m, object).known, m.older == 0 ? s.before.cells[object].seen
                                                 : s.before.cells[object].older[number(s, m, object)].seen};
}

unsigned rules::oldest(const state& s, unsigned member, const operation& o) const {
  const unsigned known = s.before.members[member].of(o.object);
  return ordered() ? std::max(known, s.before.order.oldest(member, o.object, o.is_seq_cst_access())) : known;
}

void rules::load(state& s, move m, const operation& o) {
  for (const auto& b : s.members[m.member].buffer)
    if (b.object == o.object) return;  // its own store
  if (ordered()) s.before.order.read(m.member, o.object, number(s, m, o.object), o.is_seq_cst_access());
  receive(s, m, o);
  if (weak()) s.before.members[m.member].reach(o.object, number(s, m, o.object));
}

void rules::receive(state& s, move m, const operation& o) {
  if (acquires(o)) return acquire(s, m, o.object);
  if (!fences(m.member)) return;
  s.fences[m.member].heard.join(released(s, m, o.object));
  if (ordered()) s.before.order.hear(m.member, o.object, number(s, m, o.object));
}

void rules::acquire(state& s, move m, std::uint32_t object) {
  const message told = released(s, m, object);
  s.members[m.member].known.join(told.known);
  if (weak()) s.before.members[m.member].join(told.seen);
  if (ordered()) s.before.order.acquire(m.member, object, number(s, m, object));
}

message rules::tells(const state& s, unsigned member, const operation& o) const {
  if (releases(o)) return {s.members[member].known, weak() ? s.before.members[member] : view{}};
  return s.fences.empty() ? message{} : s.fences[member].told;
}

void rules::store(state& s, unsigned member, const operation& o, bool buffered) {
  const message told = tells(s, member, o);
  if (buffered) return s.members[member].buffer.push_back({o.object, o.operand, told.known});
  if (ordered()) s.before.order.write(member, o.object, o.is_seq_cst_access(), releases(o), false);
  write(s, member, o.object, {o.operand, told.known}, told.seen);
}

void rules::write(state& s, unsigned member, std::uint32_t object, const cell& c, const view& seen) {
  if (weak()) {
    past::values& values = s.before.cells[object];
    if (values.older.size() == view::most_values)
      throw std::invalid_argument("weir: too many values of one word under weak memory");
    values.older.push_back({s.cells[object], values.seen});
    values.seen = seen;
    values.seen.reach(object, values.older.size());
    s.before.members[member].reach(object, values.older.size());
  }
  s.cells[object] = c;
}

// A release store heads a release sequence that any read-modify-write continues (C++20).
void rules::update(state& s, move m, const operation& o, account* told) {
  const std::uint64_t old = read(s, m, o.object).value;
  if (o.refused(old)) return load(s, m, o);
  if (ordered()) s.before.order.write(m.member, o.object, o.is_seq_cst_access(), releases(o), true);
  receive(s, m, o);
  message what = released(s, m, o.object);
  what.join(tells(s, m.member, o));
  if (told != nullptr) told->wrote = o.changed(old);
  write(s, m.member, o.object, {o.changed(old), what.known}, what.seen);
}

void rules::release_mutex(state& s, unsigned member, std::uint32_t mutex) {
  s.cells[mutex] = {0, s.members[member].known};
  if (weak()) s.before.cells[mutex].seen = s.before.members[member];
  if (ordered()) s.before.order.unlock(member, mutex);
}

void rules::fence(state& s, unsigned member, const operation& o) {
  fencing& fence = s.fences[member];
  if (acquires(o)) {
    s.members[member].known.join(fence.heard.known);
    if (weak()) s.before.members[member].join(fence.heard.seen);
    if (ordered()) s.before.order.acquire_by_fence(member);
    fence.heard = {};
  }
  if (ordered() && releases(o)) s.before.order.release_by_fence(member);
  if (weak() && o.order == std::memory_order_seq_cst) {
    view& known = s.before.members[member];
    known.join(s.before.fenced);
    if (ordered()) s.before.order.fence(member, known);
    s.before.fenced = known;
  }
  if (releases(o)) fence.told = {s.members[member].known, weak() ? s.before.members[member] : view{}};
}

// As if each member executed a sequentially consistent fence now: what these knew, all know from now on, so a later fence need
// not know of this one. Unlike a member's own fence it releases nothing to relaxed stores, so a program may rely on less.
void rules::heavy_fence(state& s) {
  view known;
  for (const view& v : s.before.members) known.join(v);
  for (view& v : s.before.members) v = known;
}

// Drops values that no member may read any more. Otherwise each schedule would reach states of its own.
void rules::forget_overwritten(state& s) {
  for (unsigned m = 0; m < s.fences.size(); ++m) s.fences[m].heard.seen.leave_out(s.before.members[m]);
  for (std::uint32_t slot = 0; slot < s.cells.size(); ++slot) {
    auto& older = s.before.cells[slot].older;
    if (older.empty()) continue;
    unsigned past = static_cast<unsigned>(older.size());
    for (unsigned m = 0; m < members(); ++m)
      if (!finished(s, m)) past = std::min(past, s.before.members[m].of(slot));
    if (past == 0) continue;
    older.erase(older.begin(), older.begin() + past);
    for (auto& v : s.before.members) v.forget(slot, past);
    for (auto& c : s.before.cells) {
      c.seen.forget(slot, past);
      for (auto& w : c.older) w.seen.forget(slot, past);
    }
    s.before.fenced.forget(slot, past);
    for (fencing& f : s.fences)
      for (message* each : {&f.heard, &f.told}) each->seen.forget(slot, past);
    if (ordered()) s.before.order.forget(slot, past);
  }
}

// What a member that has finished would do next.
void rules::forget_member(state& s, unsigned member) {
  if (!s.fences.empty()) s.fences[member] = {};
  if (ordered()) s.before.order.forget_member(member);
}

}  // namespace weir::explorer
