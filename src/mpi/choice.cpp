#include "choice.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <weir/barriers/plans.hpp>
#include <weir/barriers/proof.hpp>

namespace weir::mpi {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

void must_be_known(const std::string& name, const std::vector<std::string>& known, const char* kind) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw std::invalid_argument("weir: no " + std::string(kind) + " is called \"" + name + "\"; known are " + listed(known));
}

std::vector<std::string> with(const std::vector<std::string>& names, std::initializer_list<const char*> others) {
  std::vector<std::string> joined(others.begin(), others.end());
  joined.insert(joined.end(), names.begin(), names.end());
  return joined;
}

plan make(const std::string& name, unsigned participants, const options& how, unsigned radix) {
  return plans::by_name(name, participants, {.radix = radix, .fan_in = how.fan_in, .fan_out = how.fan_out}).value();
}

// A round of dissemination takes the time to send the messages, then the latency of the last one and its receiving. On published
// networks (machines/clusters) latency and receiving take as long as 2.5 to 7 sends. If they take least, a radix beyond 4 loses,
// because receiving as many messages takes longer than the latency; otherwise it wins less than a tenth.
unsigned cost_in_sends(unsigned participants, unsigned radix) {
  constexpr unsigned latency_and_receiving = 5;
  unsigned cost = 0;
  for (std::uint64_t distance = 1; distance < participants; distance *= radix)
    cost += static_cast<unsigned>(std::min<std::uint64_t>(radix - 1, (participants - 1) / distance)) + latency_and_receiving;
  return cost;
}

unsigned radix_for(const places& p, unsigned participants) {
  if (p.oversubscribed) return 2;  // each message takes time of a processor that another process waits for
  unsigned best = 2;
  for (const unsigned radix : {3u, 4u})
    if (cost_in_sends(participants, radix) < cost_in_sends(participants, best)) best = radix;
  return best;
}

// How many take part across nodes: the nodes' leaders, or all processes.
unsigned participants_across(const places& p, const std::string& within) {
  return static_cast<unsigned>(within == "none" ? p.node_of.size() : p.nodes.size());
}

// What the profile says of as many threads as a node has processes, each with a processor: the plan and its lines are the same in
// a node's memory. Where processes share processors, what was measured is how threads wait for each other.
const machine_profile::finding* found_within(const places& p, std::size_t largest, const machine_profile* known) {
  if (known == nullptr || p.oversubscribed || largest > known->processors) return nullptr;
  const auto* const found = found_in(*known, static_cast<unsigned>(largest), /*bound=*/false);
  const std::vector<std::string>& allowed = p.nodes.size() == 1 ? algorithms() : plans::names_of_halved();
  return found != nullptr && std::find(allowed.begin(), allowed.end(), found->barrier) != allowed.end() ? found : nullptr;
}

std::size_t largest_node(const places& p) {
  std::size_t largest = 0;
  for (const auto& node : p.nodes) largest = std::max(largest, node.size());
  return largest;
}

// Within a node, by shared memory.
choice choose_within(const places& p, choice c, const machine_profile* known) {
  const bool one_node = p.nodes.size() == 1;
  const std::size_t largest = largest_node(p);
  if (const auto* const found = found_within(p, largest, known)) {
    c.within = found->barrier;
    c.reason += std::string(known->simulated ? "simulated" : "measured") + " with threads on this machine on " + known->date;
  } else if (largest == 1) {
    c.within = "none";
    c.reason += "every process has a node of its own";
  } else if (p.oversubscribed && one_node) {
    c.within = "combination";
    c.reason += "processes share processors: they meet on their processor first, and the last to arrive there continues for them";
  } else if (p.oversubscribed || (largest <= 8 && !one_node)) {
    c.within = "linear";
    c.reason += p.oversubscribed ? "processes share processors: one place to arrive at, and one to wait at"
                         : "few processes on a node: the first of them reads one flag of each";
  } else if (one_node && largest <= 16) {
    c.within = "dissemination";
    c.reason += "one node, and a processor for each process: the shortest critical path";
  } else {
    c.within = "tournament";
    c.reason += "many processes on a node, a processor for each: pairs are decided beforehand, and one flag releases all";
  }
  return c;
}

// Plans with few steps one after the other, and with few signals in all; not those that need a context switch in each step where
// processors are shared.
std::vector<std::string> others_within(const places& p, std::size_t largest) {
  if (p.nodes.size() > 1) return largest <= 2 ? std::vector<std::string>() : std::vector<std::string>{"linear", "tournament"};
  if (p.oversubscribed) return {"linear"};
  if (largest <= 8) return {"tournament", "linear"};
  return {"dissemination", "tournament", "exchange-nodes"};
}

}  // namespace

const std::vector<std::string>& algorithms() { return plans::names(); }

const std::vector<std::string>& transports() {
  static const std::vector<std::string> names = {"messages", "persistent", "rma"};
  return names;
}

choice choose(const places& p, const options& how, const machine_profile* known) {
  must_be_known(how.algorithm, with(algorithms(), {"auto"}), "barrier over messages");
  must_be_known(how.within, with(algorithms(), {"auto", "none", "combination"}), "barrier within a node");
  must_be_known(how.transport, with(transports(), {"auto"}), "transport");
  must_be_known(how.waiting, {"auto", "mpi"}, "way to wait for messages");
  choice c{how.algorithm, how.within, how.transport, "", how.radix};
  if (c.transport == "auto") c.transport = "messages";
  if (c.within == "auto") {
    if (c.algorithm == "auto")
      c = choose_within(p, c, known);
    else
      c.within = "none";
  }
  if (c.algorithm == "auto") {
    c.algorithm = "dissemination";
    if (p.nodes.size() > 1 || c.within == "none") {
      c.radix = radix_for(p, participants_across(p, c.within));
      c.reason +=
          std::string(c.reason.empty() ? "" : "; ") + "between them: radix " + std::to_string(c.radix) +
          (c.radix > 2 ? ", a few messages at the same time rather than one after the other" : ", as few messages as possible");
    }
  }
  if (c.within == "combination" && p.nodes.size() > 1)
    throw std::invalid_argument(
        "weir: the barrier combination cannot be used within several nodes: the last process of a node to arrive "
        "differs between episodes, and messages between nodes need a fixed one, as these barriers have: " +
        listed(plans::names_of_halved()));
  if (c.reason.empty()) c.reason = "as asked";
  return c;
}

std::vector<choice> others(const places& p, const options& how, const choice& usual, const machine_profile* known) {
  const std::size_t largest = largest_node(p);
  const bool is_chosen = how.algorithm != "auto" || how.within != "auto" || found_within(p, largest, known) != nullptr;
  if (is_chosen || usual.transport == "rma" || p.node_of.size() <= 2) return {};
  std::vector<choice> choices;
  const auto add = [&](choice c) {
    const bool is_across = c.within == usual.within;
    c.reason = "tried while in use: faster than " +
               (is_across ? usual.algorithm + " of radix " + std::to_string(usual.radix) : usual.within);
    choices.push_back(std::move(c));
  };
  if (usual.within != "none")
    for (const std::string& name : others_within(p, largest)) {
      choice other = usual;
      other.within = name;
      if (name != usual.within && choices.size() < 2) add(other);
    }
  if (p.nodes.size() > 2) {
    choice other = usual;
    if (p.oversubscribed)
      other.algorithm = "tournament";  // fewer messages
    else
      other.radix = usual.radix == 2 ? 4 : 2;
    add(other);
  }
  return choices;
}

double longest_worth_trying_us(const places& p) {
  // Between nodes, over Ethernet. Where processors are shared, a process may wait for a part of a time slice.
  constexpr double times = 20, signal_us = 2, messages_us = 500, turn_us = 500;
  if (p.oversubscribed) return times * turn_us * p.sharers;
  return times * (p.nodes.size() > 1 ? messages_us : signal_us * static_cast<double>(std::bit_width(p.node_of.size())));
}

plan plan_for(const places& p, const choice& c, const options& how) {
  const auto across = [&](unsigned participants) { return make(c.algorithm, participants, how, c.radix); };
  const auto within = [&](unsigned participants) { return make(c.within, participants, how, how.radix); };
  plan whole = c.within == "none" ? across(participants_across(p, c.within)) : plans::levels(p.nodes, within, across);
  trusted(whole);
  return whole;
}

plan plan_for_seats(const places& p) {
  const auto seats = static_cast<unsigned>(p.seats.size());
  plan whole = seats <= 16 ? plans::dissemination(seats) : plans::mcs(seats);
  trusted(whole);
  return whole;
}

}  // namespace weir::mpi
