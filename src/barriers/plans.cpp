#include <weir/barriers/plans.hpp>

#include <bit>
#include <stdexcept>

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
    // Signals of a round before its awaits: a participant that waited first would wait in vain.
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
  // A parent's own signal comes after its awaits, so it is added when all awaits stand. Parents
  // come before their children here, and slots were numbered in the children's order: slot c - 1.
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
  plan p = start("tournament", participants);
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
    // The last beaten is woken first: it has the most others to wake.
    for (std::size_t k = losers.size(); k-- > 0;) {
      const unsigned loser = losers[k];
      const unsigned winner = loser - (loser & -loser);  // the round is the lowest set bit
      connect(p, &plan::script::release, winner, loser);
    }
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

}  // namespace weir::plans
