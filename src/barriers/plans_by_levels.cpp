// A plan from the shapes of its levels, as the search for a machine's plan varies them.
#include <weir/barriers/plans.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weir::plans {

namespace {

constexpr auto signal = step::action::signal;
constexpr auto await = step::action::await;

/// The first participants of the parts of `below` that lie in one group.
std::vector<unsigned> firsts(unsigned start, unsigned size, unsigned below, unsigned participants) {
  std::vector<unsigned> found;
  for (std::uint64_t i = start; i < std::min<std::uint64_t>(std::uint64_t{start} + size, participants); i += below)
    found.push_back(static_cast<unsigned>(i));
  return found;
}

void gather(plan& p, const std::vector<unsigned>& who, const level_shape& shape) {
  for (std::uint64_t distance = 1; distance < who.size(); distance *= shape.ways)
    for (std::uint64_t winner = 0; winner < who.size(); winner += distance * shape.ways) {
      std::uint32_t line = 0;
      for (unsigned k = 1; k < shape.ways && winner + k * distance < who.size(); ++k) {
        const bool fresh = !shape.packed || (k - 1) % slots_per_line == 0;
        const std::uint32_t slot = fresh ? p.add_slot() : p.add_slot_on(line);
        line = p.line_of(slot);
        p.scripts[who[winner + k * distance]].arrival.push_back({signal, slot});
        p.scripts[who[winner]].arrival.push_back({await, slot});
      }
    }
}

void exchange_among(plan& p, const std::vector<unsigned>& who, unsigned radix) {
  const auto count = static_cast<unsigned>(who.size());
  const plan between = radix == 1 ? butterfly(count) : dissemination(count, radix);
  const std::uint32_t first = p.slots();
  for (std::uint32_t slot = 0; slot < between.slots(); ++slot) p.add_slot();
  p.parities = std::max(p.parities, between.parities);
  for (std::size_t i = 0; i < who.size(); ++i)
    for (const step& s : between.scripts[i].arrival) p.scripts[who[i]].arrival.push_back({s.act, first + s.slot});
}

void release(plan& p, const std::vector<unsigned>& who, unsigned fan_out) {
  if (who.size() < 2) return;
  if (fan_out == 0) {
    const std::uint32_t flag = p.add_slot();
    p.scripts[who[0]].release.push_back({signal, flag});
    for (std::size_t i = 1; i < who.size(); ++i) p.scripts[who[i]].release.push_back({await, flag});
    return;
  }
  for (std::uint64_t parent = 0; parent < who.size(); ++parent)
    for (std::uint64_t child = parent * fan_out + 1; child <= (parent + 1) * fan_out && child < who.size(); ++child) {
      const std::uint32_t slot = p.add_slot();
      p.scripts[who[parent]].release.push_back({signal, slot});
      p.scripts[who[child]].release.push_back({await, slot});
    }
}

/// The same shapes, all with a size.
std::vector<level_shape> checked(unsigned participants, std::vector<level_shape> shapes) {
  if (participants == 0 || shapes.empty()) throw std::invalid_argument("weir: a plan by levels needs participants and levels");
  unsigned below = 1;
  for (level_shape& shape : shapes) {
    if (shape.size == 0 && &shape == &shapes.back())
      shape.size = static_cast<unsigned>((std::uint64_t{participants} + below - 1) / below * below);
    if (shape.size == 0 || shape.size % below != 0 || shape.ways < 2)
      throw std::invalid_argument("weir: a level of " + std::to_string(shape.size) +
                                  " participants is no multiple of the one below, " + std::to_string(below) +
                                  ", or has fewer than 2 ways");
    below = shape.size;
  }
  if (below < participants)
    throw std::invalid_argument("weir: the last level has " + std::to_string(below) + " of " + std::to_string(participants) +
                                " participants");
  return shapes;
}

}  // namespace

plan by_levels(unsigned participants, std::vector<level_shape> shapes, unsigned exchange_radix) {
  shapes = checked(participants, std::move(shapes));
  plan p;
  p.name = "by-levels";
  p.scripts.resize(participants);
  p.halves = exchange_radix == 0;
  const auto at_level = [&](std::size_t level, auto what) {
    const unsigned below = level == 0 ? 1 : shapes[level - 1].size;
    for (std::uint64_t start = 0; start < participants; start += shapes[level].size)
      what(firsts(static_cast<unsigned>(start), shapes[level].size, below, participants));
  };
  const std::size_t trees = shapes.size() - (exchange_radix == 0 ? 0 : 1);
  for (std::size_t level = 0; level < trees; ++level)
    at_level(level, [&](const std::vector<unsigned>& who) { gather(p, who, shapes[level]); });
  if (exchange_radix != 0)
    at_level(trees, [&](const std::vector<unsigned>& who) { exchange_among(p, who, exchange_radix); });
  for (std::size_t level = trees; level-- > 0;)
    at_level(level, [&](const std::vector<unsigned>& who) { release(p, who, shapes[level].fan_out); });
  return p;
}

// Simulated on all machine files: 0.72 to 1.01 of the time with radix 4. More than 6 signals in a round, and radix 5 or 6 among
// more than 25, are slower on some (docs/simulator/machines.md).
unsigned radix_among(unsigned participants) {
  if (participants == 5 || participants == 6) return participants;  // one round, not two
  return participants > 16 && participants <= 25 ? 5 : 4;           // two, not three
}

plan exchange_by_nodes(unsigned participants, unsigned node, unsigned ways, unsigned fan_out, unsigned radix) {
  if (node == 0 || radix == 1) throw std::invalid_argument("weir: a node has at least 1 participant, and a radix is at least 2");
  const std::uint64_t nodes = (std::uint64_t{participants} + node - 1) / node;
  if (radix == 0) radix = radix_among(nodes > 1 ? static_cast<unsigned>(nodes) : participants);
  plan p = node >= participants ? by_levels(participants, {level_shape{}}, radix)
                                : by_levels(participants, {{.size = node, .ways = ways, .fan_out = fan_out}, {}}, radix);
  p.name = "exchange-nodes";
  p.halves = false;  // whatever the number of nodes
  return p;
}

}  // namespace weir::plans
