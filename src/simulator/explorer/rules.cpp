#include "rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include <weir/machine/machine.hpp>

namespace weir::explorer {

using kind = operation::kind;

rules::rules(const subject& s, memory_model m, unsigned most_steps, orders meant)
    : episodes_(s.episodes),
      parties_(s.members + s.completes),
      memory_(m),
      most_steps_(most_steps),
      orders_(meant),
      stacks_(s.members, 64 << 10) {
  if (s.members == 0 || parties_ * std::max(s.episodes, 1u) > knowledge::capacity)
    throw std::invalid_argument("weir: the explorer takes at most " + std::to_string(knowledge::capacity) +
                                " arrivals (members * episodes), not " + std::to_string(parties_ * s.episodes));
  members_.reserve(s.members);
  for (unsigned i = 0; i < s.members; ++i) members_.push_back(std::make_unique<histories>(s, i, stacks_, prints_));
  for (const auto& o : members_[0]->objects()) initial_.push_back(o.initial);
  name_objects();
}

void rules::name_objects() {
  const auto& objects = members_[0]->objects();
  const auto line = [](const player::object& o) { return reinterpret_cast<std::uintptr_t>(o.address) / line_bytes; };
  std::set<std::uintptr_t> lines;
  for (const auto& o : objects)
    if (o.kind == object_kind::word) lines.insert(line(o));
  std::map<std::uintptr_t, unsigned> words;
  unsigned count[4] = {};
  static constexpr const char* kinds[] = {"word", "gate", "mutex", "condition"};
  for (const auto& o : objects) {
    if (o.kind == object_kind::word) {
      const auto rank = std::distance(lines.begin(), lines.find(line(o)));
      names_.push_back("line " + std::to_string(rank) + ".word " + std::to_string(words[line(o)]++));
    } else {
      names_.push_back(std::string(kinds[int(o.kind)]) + " " + std::to_string(count[int(o.kind)]++));
    }
  }
}

std::size_t rules::local_states() const {
  std::size_t sum = 0;
  for (const auto& m : members_) sum += m->size();
  return sum;
}

void rules::grow(state& s) const {
  if (weak() && prints_.slots() > view::capacity)
    throw std::invalid_argument("weir: under weak memory the explorer takes at most " + std::to_string(view::capacity) +
                                " words");
  while (s.cells.size() < prints_.slots())
    s.cells.push_back({initial_[prints_.object(static_cast<std::uint32_t>(s.cells.size()))], {}});
  if (prints_.fencers() != 0) s.fences.resize(members());
  if (weak()) s.before.cells.resize(s.cells.size());
  if (ordered()) s.before.order.grow(s.cells.size(), members());
}

state rules::begin(breach& found) {
  state s;
  grow(s);
  s.members.resize(members());
  if (weak()) s.before.members.resize(members());
  for (unsigned m = 0; m < members(); ++m) {
    const auto& start = members_[m]->start();
    s.members[m].node = start.to;
    if (start.completed != 0 && !found) found = complete(s, m, start.completed);
    if (start.first_left != 0 && !found) found = leave(s, m, start.first_left, start.last_left);
  }
  return s;
}

bool rules::needs_empty_buffer(const operation& o) {
  switch (o.what) {
    case kind::load:
    case kind::spin:
    case kind::end: return false;
    case kind::store: return o.order == std::memory_order_seq_cst;
    case kind::fence: return o.order == std::memory_order_seq_cst;
    default: return true;
  }
}

std::uint64_t rules::value(const state& s, move m, std::uint32_t object) const {
  const auto& buffer = s.members[m.member].buffer;
  for (auto b = buffer.rbegin(); b != buffer.rend(); ++b)
    if (b->object == object) return b->value;
  return read(s, m, object).value;
}

bool rules::enabled(const state& s, move m) {
  const member_state& me = s.members[m.member];
  if (m.drain) return !me.buffer.empty();
  const operation& o = next(s, m.member);
  if (me.how == awareness::asleep) return false;
  if (me.how == awareness::notified) return s.cells[o.mutex].value == 0;
  if (needs_empty_buffer(o) && !me.buffer.empty()) return false;
  if (m.older != 0 && o.what == kind::wake_one) return m.older < sleepers_at(s, o.object);
  if (m.older != 0) {
    if (!o.looks()) return false;
    if (!weak() || s.before.cells[o.object].older.size() < m.older + oldest(s, m.member, o)) return false;
    // An update reads the latest value, unless it refuses to change what it reads.
    if (o.what == kind::update && !o.refused(value(s, m, o.object))) return false;
  }
  switch (o.what) {
    case kind::spin: return members_[m.member]->ready(me.node, value(s, m, o.object));
    case kind::lock: return s.cells[o.object].value == 0;
    case kind::heavy_fence:
      return std::all_of(s.members.begin(), s.members.end(), [](const auto& x) { return x.buffer.empty(); });
    case kind::end: return false;
    default: return true;
  }
}

void rules::moves(const state& s, std::vector<move>& found) {
  found.clear();
  for (std::uint16_t m = 0; m < members(); ++m)
    for (const bool drain : {false, true})
      if (enabled(s, {m, drain})) found.push_back({m, drain});
  for (std::uint16_t m = 0; m < members(); ++m) {
    if (finished(s, m) || next(s, m).what != kind::wake_one) continue;
    for (move other{m, false, 1}; enabled(s, other); ++other.older) found.push_back(other);
  }
  if (!weak()) return;
  for (std::uint16_t m = 0; m < members(); ++m) {
    if (finished(s, m) || !next(s, m).looks()) continue;
    for (std::size_t older = s.before.cells[next(s, m).object].older.size(); older != 0; --older)
      if (const move stale{m, false, static_cast<std::uint8_t>(older)}; enabled(s, stale)) found.push_back(stale);
  }
}

void rules::arrive(state& s, unsigned member, unsigned episode) {
  s.members[member].known.add(event(member, episode));
}

bool rules::happened(const state& s, unsigned party, unsigned episode) const {
  const unsigned what = event(party, episode);
  return std::any_of(s.members.begin(), s.members.end(), [what](const auto& m) { return m.known.has(what); });
}

/// Something that a member leaves without, because it has not happened in this episode or the member does not know of it.
breach rules::unknown(const state& s, unsigned member, unsigned episode, unsigned parties, breach::kind early,
                      breach::kind unsynchronized) const {
  for (unsigned other = 0; other < parties; ++other)
    if (!happened(s, other, episode)) return {early, member, other, episode};
  for (unsigned other = 0; other < parties; ++other)
    if (!s.members[member].known.has(event(other, episode))) return {unsynchronized, member, other, episode};
  return {};
}

breach rules::complete(state& s, unsigned member, unsigned episode) {
  using enum breach::kind;
  arrive(s, member, episode);
  if (const breach b = unknown(s, member, episode, members(), early_completion, unsynchronized_completion)) return b;
  if (happened(s, members(), episode)) return {second_completion, member, members(), episode};
  s.members[member].known.add(event(members(), episode));
  return {};
}

breach rules::leave(state& s, unsigned member, unsigned first, unsigned last) {
  for (unsigned e = first; e <= last; ++e) {
    arrive(s, member, e);  // if it did nothing in between
    if (const breach b = unknown(s, member, e, parties_, breach::kind::early_leave, breach::kind::unsynchronized_leave))
      return b;
  }
  return {};
}

breach rules::go_on(state& s, unsigned member, std::uint64_t seen, account* told) {
  member_state& me = s.members[member];
  const auto edge = members_[member]->after(me.node, seen);
  me.node = edge.to;
  grow(s);
  me.how = awareness::awake;
  if (told != nullptr && (edge.first_left != 0)) {
    told->first_left = edge.first_left;
    told->last_left = edge.last_left;
  }
  if (told != nullptr) told->completed = edge.completed;
  if (edge.completed != 0)
    if (const breach b = complete(s, member, edge.completed)) return b;
  if (edge.first_left != 0)
    if (const breach b = leave(s, member, edge.first_left, edge.last_left)) return b;
  if (members_[member]->at(me.node).depth > most_steps_) return {breach::kind::too_many_steps, member, 0, 0};
  return {};
}

unsigned rules::sleepers_at(const state& s, std::uint32_t object) const {
  unsigned found = 0;
  for (unsigned m = 0; m < members(); ++m) found += s.members[m].how == awareness::asleep && next(s, m).object == object;
  return found;
}

breach rules::wake(state& s, const operation& o, unsigned passed_over) {
  for (unsigned m = 0; m < members(); ++m) {
    if (s.members[m].how != awareness::asleep) continue;
    const operation& operation_of_member = next(s, m);
    if (operation_of_member.object != o.object) continue;
    if (passed_over > 0) {
      --passed_over;
      continue;
    }
    if (operation_of_member.what == kind::wait)
      s.members[m].how = awareness::notified;
    else if (const breach b = go_on(s, m, 0, nullptr))
      return b;
    if (o.what == kind::wake_one) break;
  }
  return {};
}

breach rules::apply(state& s, move m, account* told) {
  member_state& me = s.members[m.member];
  if (m.drain) {
    const buffered_store& b = me.buffer.front();
    s.cells[b.object] = {b.value, b.known};
    if (told != nullptr) {
      told->done.what = kind::store;
      told->done.object = b.object;
      told->wrote = b.value;
    }
    me.buffer.erase(me.buffer.begin());
    return {};
  }
  const auto& node = members_[m.member]->at(me.node);
  const operation o = node.next;
  // Arrivals are postponed until the next operation, and leaves follow the last operation immediately: if a member can leave too
  // early at all, it then does.
  if (node.arrives != 0 && me.how == awareness::awake) {
    arrive(s, m.member, node.arrives);
    if (told != nullptr) told->arrived = node.arrives;
  }
  std::uint64_t seen = 0;
  if (told != nullptr) {
    told->done = o;
    if (!o.is_fence() && o.what != kind::wake_one) told->saw = value(s, m, o.object);
  }
  switch (o.what) {
    case kind::load:
    case kind::spin:
      seen = value(s, m, o.object);
      load(s, m, o);
      break;
    case kind::store: {
      const bool buffered = memory_ == memory_model::tso && !needs_empty_buffer(o);
      if (told != nullptr) {
        told->wrote = o.operand;
        told->buffered = buffered;
      }
      store(s, m.member, o, buffered);
      break;
    }
    case kind::update:
      seen = read(s, m, o.object).value;
      update(s, m, o, told);
      break;
    case kind::sleep:
      if (s.cells[o.object].value == o.operand) {
        me.how = awareness::asleep;
        if (told != nullptr) told->slept = true;
        return {};
      }
      break;
    case kind::wake:
    case kind::wake_one:
    case kind::notify:
      if (const breach b = wake(s, o, m.older)) return b;
      break;
    case kind::lock:
      s.cells[o.object].value = m.member + 1;
      acquire(s, m, o.object);
      break;
    case kind::unlock: release_mutex(s, m.member, o.object); break;
    case kind::wait:
      if (me.how == awareness::awake) {
        release_mutex(s, m.member, o.mutex);
        me.how = awareness::asleep;
        if (told != nullptr) told->slept = true;
        return {};
      }
      s.cells[o.mutex].value = m.member + 1;
      acquire(s, m, o.mutex);
      break;
    case kind::fence: fence(s, m.member, o); break;
    case kind::heavy_fence: heavy_fence(s); break;
    case kind::end: break;
  }
  const breach b = go_on(s, m.member, seen, told);
  if (finished(s, m.member)) forget_member(s, m.member);
  if (weak()) forget_overwritten(s);
  return b;
}

bool rules::finished(const state& s, unsigned member) const {
  return next(s, member).what == kind::end && s.members[member].buffer.empty();
}

breach rules::judge_end(const state& s) const {
  breach b;
  for (unsigned m = 0; m < members(); ++m) {
    if (finished(s, m)) continue;
    if (!b) b = {breach::kind::deadlock, m, 0, 0};
    if (s.members[m].how == awareness::asleep) b = {breach::kind::lost_wake_up, m, 0, 0};
  }
  return b;
}

digest rules::digest_of(const state& s) const {
  digester d;
  const std::size_t slots = s.cells.size();
  for (std::uint32_t i = 0; i < slots; ++i) {
    const cell& c = s.cells[i];
    if (c.value == initial_[prints_.object(i)] && c.known == knowledge{}) continue;
    d.add(i);
    d.add(c.value);
    d.add(c.known.half(0));
    d.add(c.known.half(1));
  }
  for (std::uint32_t i = 0; i < s.before.cells.size(); ++i) {
    const auto& [seen, older] = s.before.cells[i];
    d.add(std::uint64_t{i} << 32 | older.size());
    seen.add_to(d, slots);
    for (const written& w : older) {
      d.add(w.value);
      d.add(w.known.half(0));
      d.add(w.known.half(1));
      w.seen.add_to(d, slots);
    }
  }
  for (const view& v : s.before.members) v.add_to(d, slots);
  for (const fencing& f : s.fences)
    for (const message* told : {&f.heard, &f.told}) {
      d.add(told->known.half(0));
      d.add(told->known.half(1));
      if (weak()) told->seen.add_to(d, slots);
    }
  if (weak() && !s.fences.empty()) s.before.fenced.add_to(d, slots);
  s.before.order.add_to(d);
  for (const auto& m : s.members) {
    d.add(~std::uint64_t{0} - m.buffer.size());
    d.add(std::uint64_t{m.node} << 8 | static_cast<std::uint64_t>(m.how));
    d.add(m.known.half(0));
    d.add(m.known.half(1));
    for (const auto& b : m.buffer) {
      d.add(b.object);
      d.add(b.value);
      d.add(b.known.half(0));
      d.add(b.known.half(1));
    }
  }
  return d.result();
}

}  // namespace weir::explorer
