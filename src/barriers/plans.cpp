#include <weir/barriers/plans.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>
#include <utility>

#include "../system/made_once.hpp"

namespace weir::plans {

namespace {

plan start(const char* name, unsigned participants) {
  if (participants == 0) throw std::invalid_argument("weir: a plan needs at least 1 participant, not 0");
  plan p;
  p.name = name;
  p.scripts.resize(participants);
  return p;
}

void require_at_least(unsigned least, unsigned value, const char* what) {
  if (value < least)
    throw std::invalid_argument("weir: " + std::string(what) + " must be at least " + std::to_string(least) +
                                ", not " + std::to_string(value));
}

constexpr auto signal = step::action::signal;
constexpr auto await = step::action::await;
using half = std::vector<step> plan::script::*;

// `from` signals `to` through a slot of its own.
void connect(plan& p, half h, unsigned from, unsigned to) {
  const std::uint32_t slot = p.add_slot();
  (p.scripts[from].*h).push_back({signal, slot});
  (p.scripts[to].*h).push_back({await, slot});
}

}  // namespace

plan dissemination(unsigned participants, unsigned radix) {
  require_at_least(2, radix, "the radix of a dissemination barrier");
  plan p = start("dissemination", participants);
  p.parities = 2;
  for (std::uint64_t distance = 1; distance < participants; distance *= radix) {
    // The signals of a round precede its awaits: if all awaited first, none would be signalled.
    const std::uint32_t first = p.slots();
    unsigned partners = 0;
    for (std::uint64_t d = distance; partners < radix - 1 && d < participants; d += distance) ++partners;
    for (unsigned i = 0; i < participants; ++i)
      for (unsigned j = 0; j < partners; ++j) p.add_slot();
    for (unsigned i = 0; i < participants; ++i)
      for (unsigned j = 0; j < partners; ++j) {
        const auto to = static_cast<unsigned>((i + (j + 1) * distance) % participants);
        p.scripts[i].arrival.push_back({signal, first + to * partners + j});
      }
    for (unsigned i = 0; i < participants; ++i)
      for (unsigned j = 0; j < partners; ++j) p.scripts[i].arrival.push_back({await, first + i * partners + j});
  }
  return p;
}

plan exchange(unsigned participants) {
  plan p = dissemination(participants);
  p.name = "exchange";
  if (participants == 2) {
    p.slot_line.assign(2, 0);
    p.lines = 1;
  }
  return p;
}

plan tree(unsigned participants, unsigned arrival_fan_in, unsigned release_fan_out, bool packed) {
  require_at_least(1, arrival_fan_in, "the arrival fan-in of a tree");
  require_at_least(1, release_fan_out, "the release fan-out of a tree");
  plan p = start("tree", participants);
  p.halves = true;
  for (unsigned parent = 0; parent < participants; ++parent) {
    std::uint32_t line = 0;
    for (std::uint64_t k = 1; k <= arrival_fan_in; ++k) {
      const std::uint64_t child = std::uint64_t{arrival_fan_in} * parent + k;
      if (child >= participants) break;
      const bool fresh = !packed || (k - 1) % slots_per_line == 0;
      const std::uint32_t slot = fresh ? p.add_slot() : p.add_slot_on(line);
      line = p.line_of(slot);
      p.scripts[parent].arrival.push_back({await, slot});
    }
  }
  // A parent's own signal follows its awaits, so it is added when all awaits are there. Parents precede
  // their children here, and slots were numbered in the children's order: child c has slot c - 1.
  for (unsigned child = 1; child < participants; ++child)
    p.scripts[child].arrival.push_back({signal, child - 1});
  for (unsigned parent = 0; parent < participants; ++parent)
    for (std::uint64_t k = 1; k <= release_fan_out; ++k) {
      const std::uint64_t child = std::uint64_t{release_fan_out} * parent + k;
      if (child >= participants) break;
      connect(p, &plan::script::release, parent, static_cast<unsigned>(child));
    }
  return p;
}

plan mcs(unsigned participants) {
  plan p = tree(participants, 4, 2, /*packed=*/true);
  p.name = "mcs";
  return p;
}

plan tournament(unsigned participants, wake_up how) {
  plan p = start(how == wake_up::tree ? "tournament-tree" : "tournament", participants);
  p.halves = true;
  std::vector<unsigned> losers;  // in the order in which they drop out
  for (unsigned distance = 1; distance < participants; distance *= 2)
    for (unsigned loser = distance; loser < participants; loser += 2 * distance) {
      connect(p, &plan::script::arrival, loser, loser - distance);
      losers.push_back(loser);
    }
  if (how == wake_up::champion_flag && participants > 1) {
    const std::uint32_t champion = p.add_slot();
    p.scripts[0].release.push_back({signal, champion});
    for (const unsigned loser : losers) p.scripts[loser].release.push_back({await, champion});
  } else {
    // The loser of the last round is woken first: it has the most others to wake.
    for (std::size_t k = losers.size(); k-- > 0;) {
      const unsigned loser = losers[k];
      const unsigned winner = loser - (loser & -loser);  // the round is the lowest set bit
      connect(p, &plan::script::release, winner, loser);
    }
  }
  return p;
}

plan tournament_by_nodes(unsigned participants, unsigned ways, unsigned node) {
  require_at_least(2, ways, "the ways of a tournament");
  require_at_least(1, node, "the participants of a node");
  plan p = start("tournament-nodes", participants);
  p.halves = true;
  for (std::uint64_t distance = 1; distance < participants; distance *= ways)
    for (std::uint64_t winner = 0; winner < participants; winner += distance * ways)
      for (unsigned k = 1; k < ways && winner + k * distance < participants; ++k)
        connect(p, &plan::script::arrival, static_cast<unsigned>(winner + k * distance), static_cast<unsigned>(winner));
  // Parents come before their children, so each awaits its own flag before it signals. Other nodes are signalled first: they are
  // farther, and have more participants to wake.
  for (unsigned i = 0; i < participants; ++i) {
    const unsigned place = i % node, first = i - place;
    for (std::uint64_t k = 1; k <= 2 && place == 0; ++k)
      if (const std::uint64_t other = (2 * std::uint64_t{i / node} + k) * node; other < participants)
        connect(p, &plan::script::release, i, static_cast<unsigned>(other));
    for (std::uint64_t k = 1; k <= 2; ++k)
      if (const std::uint64_t child = 2 * std::uint64_t{place} + k; child < node && first + child < participants)
        connect(p, &plan::script::release, i, static_cast<unsigned>(first + child));
  }
  return p;
}

plan butterfly(unsigned participants) {
  plan p = start("butterfly", participants);
  p.parities = 2;
  const unsigned core = std::bit_floor(participants);
  constexpr auto arrival = &plan::script::arrival;
  for (unsigned extra = core; extra < participants; ++extra) connect(p, arrival, extra, extra - core);
  for (unsigned distance = 1; distance < core; distance *= 2) {
    // Both partners signal before either awaits.
    const std::uint32_t first = p.slots();
    for (unsigned i = 0; i < core; ++i) p.add_slot();
    for (unsigned i = 0; i < core; ++i) {
      p.scripts[i].arrival.push_back({signal, first + (i ^ distance)});
      p.scripts[i].arrival.push_back({await, first + i});
    }
  }
  for (unsigned extra = core; extra < participants; ++extra) connect(p, arrival, extra - core, extra);
  return p;
}

plan linear(unsigned participants) {
  plan p = start("linear", participants);
  p.halves = true;
  if (participants == 1) return p;
  for (unsigned i = 1; i < participants; ++i) {
    const std::uint32_t slot = (i - 1) % slots_per_line == 0 ? p.add_slot() : p.add_slot_on(p.lines - 1);
    p.scripts[i].arrival.push_back({signal, slot});
    p.scripts[0].arrival.push_back({await, slot});
  }
  const std::uint32_t release_slot = p.add_slot();
  p.scripts[0].release.push_back({signal, release_slot});
  for (unsigned i = 1; i < participants; ++i) p.scripts[i].release.push_back({await, release_slot});
  return p;
}

namespace {

plan made_by_levels(const std::string& name, unsigned participants) {
  if (participants > most_by_levels)
    throw std::invalid_argument("weir: a plan by levels that has a name is for at most " + std::to_string(most_by_levels) +
                                " participants, not " + std::to_string(participants));
  levels_shape shape;
  try {
    shape = levels_called(name);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("weir: " + name + " is no plan by levels: " + error.what());
  }
  plan p = by_levels(participants, std::move(shape.levels), shape.exchange_radix);
  p.name = name;
  return p;
}

}  // namespace

std::optional<plan> by_name(const std::string& name, unsigned participants, const shape& form) {
  for (const entry& e : table)
    if (e.name == name) return e.make(participants, form);
  return names_levels(name) ? std::optional(made_by_levels(name, participants)) : std::nullopt;
}

namespace {

template <class Wanted>
std::vector<std::string> names_where(Wanted wanted) {
  std::vector<std::string> found;
  for (const entry& e : table)
    if (std::invoke(wanted, e)) found.emplace_back(e.name);
  return found;
}

}  // namespace

const std::vector<std::string>& names() {
  static constinit made_once<std::vector<std::string>> known;
  return known([] { return names_where([](const entry&) { return true; }); });
}

const std::vector<std::string>& names_of_halved() {
  static constinit made_once<std::vector<std::string>> halved;
  return halved([] { return names_where(&entry::halves); });
}

namespace {

/// Takes over a plan's slots and lines; the number of its first slot.
std::uint32_t take_slots(plan& p, const plan& part) {
  const std::uint32_t first = p.slots(), line = p.lines;
  for (const std::uint32_t slot_line : part.slot_line) p.slot_line.push_back(line + slot_line);
  p.lines += part.lines;
  p.parities = std::max(p.parities, part.parities);
  return first;
}

void append(std::vector<step>& script, const std::vector<step>& steps, std::uint32_t first_slot) {
  for (const step& s : steps) script.push_back({s.act, s.slot + first_slot});
}

unsigned count_once_each(const std::vector<std::vector<unsigned>>& groups) {
  std::vector<unsigned> members;
  for (const auto& group : groups) {
    if (group.empty()) throw std::invalid_argument("weir: a group of a plan of levels is empty");
    members.insert(members.end(), group.begin(), group.end());
  }
  std::sort(members.begin(), members.end());
  for (unsigned i = 0; i < members.size(); ++i)
    if (members[i] != i)
      throw std::invalid_argument("weir: in the groups of a plan of levels participant " +
                                  std::to_string(std::min(i, members[i])) + (members[i] < i ? " comes twice" : " is missing"));
  return static_cast<unsigned>(members.size());
}

}  // namespace

plan levels(const std::vector<std::vector<unsigned>>& groups, const maker& within, const maker& across) {
  plan p = start("levels", count_once_each(groups));
  const bool alone = groups.size() == 1;  // then there is no barrier of leaders in between, and any plan will do
  const plan between = across(static_cast<unsigned>(groups.size()));
  const std::uint32_t first_between = take_slots(p, between);
  p.halves = between.halves && groups[0][0] == 0;
  for (unsigned g = 0; g < groups.size(); ++g) {
    const auto& group = groups[g];
    const plan inside = within(static_cast<unsigned>(group.size()));
    if (!inside.halves && group.size() > 1 && !alone) {
      std::string known;
      for (const std::string& name : names_of_halved()) known += (known.empty() ? "" : ", ") + name;
      throw std::invalid_argument("weir: the plan " + inside.name +
                                  " cannot be used within groups: it has no two halves between which a leader could go "
                                  "across, as these have: " + known);
    }
    if (alone) p.halves = p.halves && inside.halves;
    const std::uint32_t first = take_slots(p, inside);
    const unsigned leader = group[0];
    for (unsigned i = 0; i < group.size(); ++i) append(p.scripts[group[i]].arrival, inside.scripts[i].arrival, first);
    append(p.scripts[leader].arrival, between.scripts[g].arrival, first_between);
    append(p.scripts[leader].release, between.scripts[g].release, first_between);
    for (unsigned i = 0; i < group.size(); ++i) append(p.scripts[group[i]].release, inside.scripts[i].release, first);
  }
  return p;
}

}  // namespace weir::plans
