#include "route.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include <weir/barriers/proof.hpp>

namespace weir::mpi {

namespace {

constexpr auto none = std::numeric_limits<unsigned>::max();

struct ends {
  unsigned signaller = none;
  std::vector<unsigned> awaiters;
};

std::vector<ends> ends_of(const plan& p) {
  std::vector<ends> slots(p.slots());
  for (unsigned i = 0; i < p.participants(); ++i)
    for (const auto* half : {&p.scripts[i].arrival, &p.scripts[i].release})
      for (const step& s : *half) {
        if (s.act == step::action::signal)
          slots[s.slot].signaller = i;
        else
          slots[s.slot].awaiters.push_back(i);
      }
  return slots;
}

template <class Visit>
void for_each_step(const plan::script& script, Visit visit) {
  for (const auto* half : {&script.arrival, &script.release})
    for (const step& s : *half) visit(s);
}

// If several signals go from one process to another within an episode, their tags distinguish them: both processes number them in
// the order of the slots.
class tags {
 public:
  tags(const std::vector<ends>& slots, const std::vector<unsigned>& node_of) {
    std::map<std::pair<unsigned, unsigned>, unsigned> sent;
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot)
      for (const unsigned to : slots[slot].awaiters)
        if (const unsigned from = slots[slot].signaller; node_of[from] != node_of[to])
          if (const unsigned n = sent[{from, to}]++; n > 0) later_[{slot, to}] = n;
  }
  unsigned of(std::uint32_t slot, unsigned to) const {
    const auto found = later_.find({slot, to});
    return found == later_.end() ? 0 : found->second;
  }

 private:
  std::map<std::pair<std::uint32_t, unsigned>, unsigned> later_;  // few: most pairs have one
};

}  // namespace

route route_of(const plan& p, unsigned rank, const std::vector<unsigned>& node_of) {
  // All processes have the same plan, so all refuse it, and none waits for the others.
  if (const auto why = malformed(p)) throw std::invalid_argument("weir: this plan is no barrier. " + *why);
  const std::vector<ends> slots = ends_of(p);
  const tags tag(slots, node_of);
  const unsigned here = node_of[rank];
  route r;

  // The flags of this node, numbered in the order of the slots, so that all its processes number them alike.
  std::vector<unsigned> flag(slots.size(), none), line(p.lines, none);
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    if (node_of[slots[slot].signaller] != here) continue;
    bool near = false;
    for (const unsigned to : slots[slot].awaiters) near = near || node_of[to] == here;
    if (!near) continue;
    unsigned& place = line[p.line_of(slot)];
    if (place == none) place = r.lines++;
    flag[slot] = static_cast<unsigned>(r.flag_line.size());
    r.flag_line.push_back(place);
  }

  for_each_step(p.scripts[rank], [&](const step& s) {
    const ends& flag_ends = slots[s.slot];
    if (s.act == step::action::await) {
      if (node_of[flag_ends.signaller] == here)
        r.moves.push_back({move::action::await, move::path::memory, flag_ends.signaller, flag[s.slot], 0, 0});
      else
        r.moves.push_back(
            {move::action::await, move::path::message, flag_ends.signaller, 0, tag.of(s.slot, rank), r.message_awaits++});
      return;
    }
    // Other nodes first: their messages travel while the flags of this node are set.
    for (const unsigned to : flag_ends.awaiters)
      if (node_of[to] != here)
        r.moves.push_back({move::action::signal, move::path::message, to, 0, tag.of(s.slot, to), r.message_signals++});
    if (flag[s.slot] != none) r.moves.push_back({move::action::signal, move::path::memory, rank, flag[s.slot], 0, 0});
  });
  return r;
}

void route::follow(const route& before) {
  constexpr unsigned tags = 1024;  // more than one process sends to another in an episode, and few enough for every MPI
  for (move& m : moves) {
    m.flag += static_cast<unsigned>(before.flag_line.size());
    m.tag += before.first_tag + tags;
  }
  first_tag = before.first_tag + tags;
  std::vector<unsigned> joined = before.flag_line;
  for (const unsigned line : flag_line) joined.push_back(before.lines + line);
  flag_line = std::move(joined);
  lines += before.lines;
}

route combination_route(const plan& across, const std::vector<std::vector<unsigned>>& seats, unsigned process) {
  unsigned seat = 0;
  while (std::find(seats[seat].begin(), seats[seat].end(), process) == seats[seat].end()) ++seat;
  const auto expected = static_cast<unsigned>(seats[seat].size());

  // All seats are on this node.
  route r = route_of(across, seat, std::vector<unsigned>(seats.size(), 0));
  for (move& m : r.moves) m.peer = anyone;  // the process of a seat that follows the plan differs between episodes
  const auto counter = static_cast<unsigned>(r.flag_line.size()) + 2 * seat, released = counter + 1;
  for (unsigned i = 0; i < 2 * seats.size(); ++i) r.flag_line.push_back(r.lines++);
  if (expected == 1) return r;
  const auto end = static_cast<unsigned>(r.moves.size()) + 2;
  r.moves.insert(r.moves.begin(), {move::action::count, move::path::memory, anyone, counter, 0, 0, expected, end});
  r.moves.push_back({move::action::signal, move::path::memory, anyone, released, 0, 0});
  r.moves.push_back({move::action::await, move::path::memory, anyone, released, 0, 0});
  return r;
}

std::vector<unsigned> indices_at_receivers(const plan& p, unsigned rank, const std::vector<unsigned>& node_of) {
  const std::vector<ends> slots = ends_of(p);
  // The number of awaits by message that precede this slot's await in the receiver's script.
  const auto index = [&](std::uint32_t wanted, unsigned receiver) {
    unsigned before = 0, found = none;
    for_each_step(p.scripts[receiver], [&](const step& s) {
      if (s.act == step::action::signal || node_of[slots[s.slot].signaller] == node_of[receiver]) return;
      if (s.slot == wanted) found = before;
      ++before;
    });
    return found;
  };
  std::vector<unsigned> indices;
  for_each_step(p.scripts[rank], [&](const step& s) {
    if (s.act == step::action::await) return;
    for (const unsigned to : slots[s.slot].awaiters)
      if (node_of[to] != node_of[rank]) indices.push_back(index(s.slot, to));
  });
  return indices;
}

}  // namespace weir::mpi
