#include "timeline.hpp"

#include <algorithm>

namespace weir::explorer {

namespace {

using kind = operation::kind;

std::size_t switches(const std::vector<move>& schedule) {
  std::size_t n = 0;
  for (std::size_t i = 1; i < schedule.size(); ++i) n += schedule[i].member != schedule[i - 1].member;
  return n;
}

bool same_kind(const breach& a, const breach& b) {
  if (a.what == b.what) return true;
  // An early leave is also an unsynchronized one, and easier to see.
  return a.what == breach::kind::early_leave && b.what == breach::kind::unsynchronized_leave;
}

// A simpler schedule: an early leave rather than an unsynchronized one, fewer switches, fewer steps.
bool try_instead(rules& r, verdict& v, std::vector<move> schedule) {
  const breach b = replay(r, schedule);
  if (!b || !same_kind(b, v.found)) return false;
  const bool better = b.what != v.found.what || switches(schedule) < switches(v.schedule) ||
                      (switches(schedule) == switches(v.schedule) && schedule.size() < v.schedule.size());
  if (!better) return false;
  v.found = b;
  v.schedule = std::move(schedule);
  return true;
}

std::size_t end_of_turn(const std::vector<move>& s, std::size_t begin) {
  std::size_t end = begin;
  while (end < s.size() && s[end].member == s[begin].member) ++end;
  return end;
}

// Removes a turn of a member, or moves it before or after another of its turns.
bool simplify_once(rules& r, verdict& v) {
  const std::vector<move> s = v.schedule;
  const auto at = [&s](std::size_t i) { return s.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t begin = 0; begin < s.size(); begin = end_of_turn(s, begin)) {
    const std::size_t end = end_of_turn(s, begin);
    std::vector<move> without(s.begin(), at(begin));
    without.insert(without.end(), at(end), s.end());
    if (try_instead(r, v, without)) return true;
    for (std::size_t other = 0; other < without.size(); other = end_of_turn(without, other)) {
      if (without[other].member != s[begin].member) continue;
      std::vector<move> joined = without;
      joined.insert(joined.begin() + static_cast<std::ptrdiff_t>(end_of_turn(without, other)), at(begin), at(end));
      if (try_instead(r, v, std::move(joined))) return true;
    }
  }
  return false;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string described(const rules& r, const account& a, move m) {
  const operation& o = a.done;
  const std::string word = o.is_fence() || o.what == kind::end ? "" : r.name_of(o.object);
  if (m.drain) return "  memory: " + word + " = " + number(a.wrote);
  switch (o.what) {
    case kind::load: return "reads " + word + ": " + number(a.saw) + (m.older != 0 ? " (old)" : "");
    case kind::spin: return "waited for " + word + ": " + number(a.saw) + (m.older != 0 ? " (old)" : "");
    case kind::store: return std::string(a.buffered ? "buffers " : "stores ") + word + " = " + number(a.wrote);
    case kind::update:
      if (o.refused(a.saw)) return "finds " + word + " changed: " + number(a.saw);
      return "updates " + word + ": " + number(a.saw) + " -> " + number(a.wrote);
    case kind::fence: return o.order == std::memory_order_seq_cst ? "fences" : "fences, not sequentially consistent";
    case kind::heavy_fence: return "fences all members";
    case kind::sleep: return a.slept ? "sleeps at " + word : "does not sleep at " + word + ": " + number(a.saw);
    case kind::wake: return "wakes all at " + word;
    case kind::wake_one: return "wakes one at " + word;
    case kind::lock: return "locks " + word;
    case kind::unlock: return "unlocks " + word;
    case kind::wait:
      return a.slept ? "waits for " + word + ", unlocks " + r.name_of(o.mutex) : "locks " + r.name_of(o.mutex) + " again";
    case kind::notify: return "notifies all at " + word;
    case kind::end: return "";
  }
  return "";
}

std::string stuck(const rules& r, const state& s) {
  std::string text;
  for (unsigned m = 0; m < r.members(); ++m) {
    if (r.finished(s, m)) continue;
    const operation& o = r.next(s, m);
    text += text.empty() ? "" : "; ";
    text += "member " + number(m);
    switch (o.what) {
      case kind::spin:
        text += " waits for " + r.name_of(o.object) + ", which is " +
                number(r.value(s, {static_cast<std::uint16_t>(m), false}, o.object));
        break;
      case kind::lock: text += " waits for " + r.name_of(o.object); break;
      case kind::sleep:
      case kind::wait: text += " sleeps at " + r.name_of(o.object); break;
      default: text += " cannot go on"; break;
    }
  }
  return text;
}

std::string sentence(const rules& r, const breach& b, const state& end) {
  const std::string who = "member " + number(b.member);
  const bool of_completion = b.other == r.members();
  const std::string other = of_completion ? "the completion" : "member " + number(b.other);
  switch (b.what) {
    case breach::kind::none: return "";
    case breach::kind::early_leave:
      return "early leave: " + who + " left episode " + number(b.episode) + " before " + other +
             (of_completion ? " had run" : " had arrived in it");
    case breach::kind::unsynchronized_leave:
      return "unsynchronized leave: " + who + " left episode " + number(b.episode) + " without synchronizing with " +
             other + (of_completion ? "" : "'s arrival in it");
    case breach::kind::early_completion:
      return "early completion: " + who + " completed episode " + number(b.episode) + " before " + other + " had arrived in it";
    case breach::kind::unsynchronized_completion:
      return "unsynchronized completion: " + who + " completed episode " + number(b.episode) + " without synchronizing with " +
             other + "'s arrival in it";
    case breach::kind::second_completion:
      return "second completion: " + who + " completed episode " + number(b.episode) + " again";
    case breach::kind::deadlock: return "deadlock: " + stuck(r, end);
    case breach::kind::lost_wake_up: return "lost wake-up: " + stuck(r, end);
    case breach::kind::too_many_steps: return "too many steps: " + who + " does not end";
  }
  return "";
}

constexpr std::size_t width = 34;

std::string row(const rules& r, std::size_t step, unsigned member, const std::string& text) {
  std::string line = step == 0 ? "" : number(step);
  line.insert(0, 5 - std::min<std::size_t>(5, line.size()), ' ');
  line += "  ";
  for (unsigned m = 0; m <= member && m < r.members(); ++m)
    line += m == member ? text : "." + std::string(width - 1, ' ');
  return line + "\n";
}

}  // namespace

breach replay(rules& r, std::vector<move>& schedule) {
  breach found;
  state s = r.begin(found);
  std::vector<move> done;
  for (const move m : schedule) {
    if (found) break;
    if (!r.enabled(s, m)) continue;
    done.push_back(m);
    found = r.apply(s, m);
  }
  schedule = std::move(done);
  std::vector<move> more;
  if (!found) r.moves(s, more);
  if (!found && more.empty()) found = r.judge_end(s);
  return found;
}

void explain(rules& r, verdict& v) {
  for (unsigned rounds = 0; rounds < 1000 && simplify_once(r, v); ++rounds) {
  }
  breach ignored;
  state s = r.begin(ignored);
  std::string& text = v.timeline;
  std::string heads = "       ";
  for (unsigned m = 0; m < r.members(); ++m) {
    const std::string head = "member " + number(m);
    heads += head + std::string(m + 1 < r.members() ? width - head.size() : 0, ' ');
  }
  text = heads + "\n";
  std::size_t step = 0;
  for (const move m : v.schedule) {
    account a;
    const breach b = r.apply(s, m, &a);
    if (a.arrived != 0) text += row(r, 0, m.member, "> arrives in " + number(a.arrived));
    text += row(r, ++step, m.member, described(r, a, m));
    if (a.completed != 0) text += row(r, 0, m.member, "  completes " + number(a.completed));
    for (unsigned e = a.first_left; e != 0 && e <= a.last_left; ++e)
      text += row(r, 0, m.member, (b && b.episode == e ? "< LEAVES " : "< leaves ") + number(e));
  }
  v.violated = sentence(r, v.found, s);
  text += v.violated + "\n";
}

}  // namespace weir::explorer
