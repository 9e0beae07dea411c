#include "memory.hpp"

#include <algorithm>
#include <bit>

namespace weir::simulator {

void line_counts::add(const line_counts& other) {
  for (std::size_t i = 0; i < misses.size(); ++i) misses[i] += other.misses[i];
  hits += other.hits;
  invalidations += other.invalidations;
  atomics += other.atomics;
  failed += other.failed;
  reads += other.reads;
}

memory::memory(const machine_model& m)
    : model_(m),
      stride_((m.processors + 63) / 64),
      line_shift_(static_cast<unsigned>(std::countr_zero(m.line_bytes))),
      modules_(m.processors, 0),
      misses_of_(m.processors, std::vector<std::uint64_t>(m.distances.size(), 0)),
      keys_(1024, 0),
      ids_(1024, 0) {
  for (const distance& d : m.distances) buses_.emplace_back((m.processors + d.group - 1) / d.group, 0);
}

line_id memory::line_at(const void* address) {
  const std::uint64_t key = (reinterpret_cast<std::uintptr_t>(address) >> line_shift_) + 1;  // 0: a free place
  const std::size_t mask = keys_.size() - 1;
  std::size_t place = (key * 0x9e3779b97f4a7c15u) >> 20 & mask;
  while (keys_[place] != key) {
    if (keys_[place] == 0) {
      if (2 * lines_.size() > keys_.size()) {
        grow();
        return line_at(address);
      }
      keys_[place] = key;
      ids_[place] = static_cast<line_id>(lines_.size());
      lines_.emplace_back();
      lines_.back().counts.misses.assign(model_.distances.size(), 0);
      copies_.resize(copies_.size() + stride_, 0);
      break;
    }
    place = (place + 1) & mask;
  }
  return ids_[place];
}

void memory::allocate(const void* begin, std::size_t bytes, unsigned processor) {
  if (model_.homes != placement::allocator || bytes == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(begin) >> line_shift_ << line_shift_;
  const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  for (std::uintptr_t at = first; at < end; at += std::uintptr_t{1} << line_shift_) {
    line& l = lines_[line_at(reinterpret_cast<const void*>(at))];
    l.home = static_cast<std::int32_t>(processor);
    l.home_is_sure = true;
  }
}

void memory::grow() {
  std::vector<std::uint64_t> keys(keys_.size() * 2, 0);
  std::vector<line_id> ids(keys.size(), 0);
  const std::size_t mask = keys.size() - 1;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == 0) continue;
    std::size_t place = (keys_[i] * 0x9e3779b97f4a7c15u) >> 20 & mask;
    while (keys[place] != 0) place = (place + 1) & mask;
    keys[place] = keys_[i];
    ids[place] = ids_[i];
  }
  keys_.swap(keys);
  ids_.swap(ids);
}

void memory::assign_home(line_id id, unsigned processor, bool is_load) {
  line& l = lines_[id];
  if (l.home_is_sure) return;
  switch (model_.homes) {
    case placement::waiter:
      // Until a processor loads it, with the one that wrote it first.
      if (l.home < 0 || is_load) l.home = static_cast<std::int32_t>(processor);
      l.home_is_sure = is_load;
      return;
    case placement::first_touch: l.home = static_cast<std::int32_t>(processor); break;
    case placement::interleaved: l.home = static_cast<std::int32_t>(id % model_.processors); break;
    case placement::first:
    case placement::allocator: l.home = 0; break;
  }
  l.home_is_sure = true;
}

bool memory::any_copy_among(line_id l, unsigned first, unsigned count, unsigned but) const {
  const std::uint64_t* const set = copies(l);
  const unsigned end = std::min(first + count, model_.processors);
  for (unsigned p = first; p < end;) {
    std::uint64_t word = set[p / 64] >> (p % 64);
    const unsigned here = std::min(64 - p % 64, end - p);
    if (here < 64) word &= (std::uint64_t{1} << here) - 1;
    if (but >= p && but < p + here) word &= ~(std::uint64_t{1} << (but - p));
    if (word != 0) return true;
    p += here;
  }
  return false;
}

memory::source memory::from_home(line_id id, unsigned processor) const {
  const auto home = static_cast<unsigned>(lines_[id].home);
  const unsigned ring = model_.between(home, processor);
  return {ring, model_.from_memory(home, processor, ring)};
}

memory::source memory::nearest_copy(line_id id, unsigned processor) const {
  const line& l = lines_[id];
  if (l.owner >= 0) {
    const auto owner = static_cast<unsigned>(l.owner);
    const unsigned ring = model_.between(owner, processor);
    return {ring, model_.fetch(owner, processor, ring)};
  }
  if (l.copies == 0) return from_home(id, processor);
  for (unsigned ring = 0; ring < model_.distances.size(); ++ring) {
    const unsigned group = model_.distances[ring].group;
    if (!any_copy_among(id, processor / group * group, group, processor)) continue;
    // A clean line beyond the nearest ring comes from its home if caches do not supply each other.
    if (ring > 0 && model_.clean == clean_copy::home) return from_home(id, processor);
    return {ring, model_.distances[ring].fetch};
  }
  return from_home(id, processor);
}

memory::source memory::farthest_copy(line_id id, unsigned processor) const {
  const line& l = lines_[id];
  if (l.owner >= 0) {
    const auto owner = static_cast<unsigned>(l.owner);
    const unsigned ring = model_.between(owner, processor);
    return {ring, model_.fetch(owner, processor, ring)};
  }
  const bool is_copy = test(id, processor);
  if (l.copies == 0) return from_home(id, processor);
  if (l.copies == 1 && is_copy) return {0, 0};  // upgrading the only copy disturbs no other processor
  for (auto ring = static_cast<unsigned>(model_.distances.size()); ring-- > 1;) {
    const unsigned inner = model_.distances[ring - 1].group, outer = model_.distances[ring].group;
    const unsigned near = processor / inner * inner, around = processor / outer * outer;
    if (any_copy_among(id, around, near - around, processor) ||
        any_copy_among(id, near + inner, around + outer - near - inner, processor))
      return {ring, model_.distances[ring].fetch};
  }
  return {0, model_.distances[0].fetch};
}

time memory::begin(line& l, unsigned processor, const source& s, time now) {
  // The request takes its turn on the bus and then waits for the line without holding the bus.
  const distance& d = model_.distances[s.ring];
  if (d.bus > 0) {
    time& bus = buses_[s.ring][processor / d.group];
    now = std::max(now, bus);
    bus = now + d.bus;
  }
  now = std::max(now, l.busy_until);
  if (model_.home_busy > 0 && s.ring > 0) {
    time& home = modules_[static_cast<unsigned>(l.home) / model_.distances[0].group];
    now = std::max(now, home);
    home = now + model_.home_busy;
  }
  return now;
}

void memory::count_miss(line& l, unsigned processor, unsigned ring) {
  ++l.counts.misses[ring];
  ++misses_of_[processor][ring];
}

time memory::at_module(line_id id, unsigned processor, time now) {
  line& l = lines_[id];
  const auto home = static_cast<unsigned>(l.home);
  const unsigned ring = model_.between(home, processor);
  const time start = std::max(now, modules_[home]);
  modules_[home] = start + model_.distances[ring].busy;
  count_miss(l, processor, ring);
  return start + (home == processor ? model_.processor.hit : model_.from_memory(home, processor, ring));
}

time memory::load(line_id id, unsigned processor, time now) {
  ++accesses_;
  line& l = lines_[id];
  if (cached() && test(id, processor)) {
    ++l.counts.hits;
    return now + model_.processor.hit;
  }
  assign_home(id, processor, true);
  ++l.counts.reads;
  if (!cached()) return at_module(id, processor, now);
  const source s = nearest_copy(id, processor);
  const time start = begin(l, processor, s, now);
  l.busy_until = start + model_.distances[s.ring].busy;
  l.owner = -1;
  copies(id)[processor / 64] |= std::uint64_t{1} << (processor % 64);
  ++l.copies;
  count_miss(l, processor, s.ring);
  return start + s.latency + model_.processor.hit;
}

time memory::write(line_id id, unsigned processor, time now) {
  ++accesses_;
  line& l = lines_[id];
  if (owns(id, processor)) {
    ++l.counts.hits;
    return l.written = std::max(now, l.busy_until) + model_.processor.store;
  }
  assign_home(id, processor, false);
  if (!cached()) return l.written = at_module(id, processor, now);
  const bool is_copy = test(id, processor);
  const std::uint32_t others = l.copies - (is_copy ? 1 : 0);
  const source s = farthest_copy(id, processor);
  const time start = begin(l, processor, s, now);
  const time done = start + s.latency + others * model_.processor.invalidate + model_.processor.store;
  l.busy_until = l.written = done;
  l.counts.invalidations += others;
  if (moves_to_write(id, processor)) count_miss(l, processor, s.ring);
  std::fill_n(copies(id), stride_, 0);
  copies(id)[processor / 64] = std::uint64_t{1} << (processor % 64);
  l.copies = 1;
  l.owner = static_cast<std::int32_t>(processor);
  return done;
}

time memory::write_with_request(line_id id, time comes) {
  ++accesses_;
  line& l = lines_[id];
  ++l.counts.hits;
  const time done = comes + model_.processor.store;
  l.written = std::max(l.written, done);
  return done;
}

line_counts memory::all_counts() const {
  line_counts total;
  total.misses.assign(model_.distances.size(), 0);
  for (const line& l : lines_) total.add(l.counts);
  return total;
}

void memory::forget_counts() {
  for (line& l : lines_) {
    l.counts = {};
    l.counts.misses.assign(model_.distances.size(), 0);
  }
  for (auto& misses : misses_of_) std::fill(misses.begin(), misses.end(), 0);
}

}  // namespace weir::simulator
