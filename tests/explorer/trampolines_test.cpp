// The entries of trampolines: handlers on several threads want them, while another thread places them.
#include <gtest/gtest.h>

#include "orders.hpp"
#include "threads/polling/trampoline_stages.hpp"
#include "threads/scenarios.hpp"

namespace explored_threads {

using trampoline = weir::threads::basic_trampoline<machine>;

constexpr std::uintptr_t here = 1000, there = 2000;
constexpr std::uint64_t other_text = 500;  // of another library at the same address
constexpr trampoline::demand demand_for(std::uintptr_t at, std::uint64_t text = 0) {
  return {at, at + 1, at + 2 + text, static_cast<std::uint32_t>(at + 3), static_cast<std::uint32_t>(at + 4)};
}
constexpr std::uintptr_t stub_for(std::uint64_t text) { return text + 7; }

struct wanting : scenario {
  trampoline entry;

  void handler(std::uintptr_t at, std::uint64_t text = 0) {
    const bool is_known = entry.at.load(order::relaxed) == at;
    if (is_known ? !entry.is_refused() : entry.take_for(at)) entry.want(demand_for(at, text));
  }
  /// All that the entry says is of one demand. Returns the stub that it has to have.
  std::uintptr_t agreed_stub() {
    const auto text = entry.text.load(order::relaxed);
    const std::uintptr_t at = entry.at.load(order::relaxed);
    const trampoline::demand d = demand_for(at);
    check(entry.first.load(order::relaxed) == d.first && entry.distance_at.load(order::relaxed) == d.distance_at &&
          entry.bytes.load(order::relaxed) == d.bytes && (text == d.text || text == d.text + other_text));
    return stub_for(text);
  }
  enum class outcome { placed, no_room, no_jump };  // no_jump: the stub is there
  void placer(outcome then = outcome::placed) {
    entry.place_if_wanted([&](trampoline&) {
      const std::uintptr_t stub = agreed_stub(), before = entry.stub.load(order::relaxed);
      check(before == 0 || before == stub);
      if (then != outcome::no_room) entry.stub.store(stub, order::relaxed);
      check(agreed_stub() == stub);
      return then == outcome::placed;
    });
  }
  /// Once it is placed, it is for one instruction.
  void at_the_end(unsigned members, outcome then = outcome::placed) {
    if (!is_last(members)) return;
    const std::uintptr_t stub = entry.stub.load(order::relaxed);
    if (entry.is_placed()) check(stub != 0);
    if (stub != 0) check(agreed_stub() == stub);
    if (stub != 0 && then == outcome::no_jump) check(entry.is_refused());
    check(entry.is.load(order::relaxed) != trampoline::writing);
  }
  void is_already(trampoline::stage stage, std::uintptr_t stub) {
    const trampoline::demand d = demand_for(here);
    entry.at.store(d.at, order::relaxed);
    entry.first.store(d.first, order::relaxed);
    entry.distance_at.store(d.distance_at, order::relaxed);
    entry.text.store(d.text, order::relaxed);
    entry.bytes.store(d.bytes, order::relaxed);
    entry.stub.store(stub, order::relaxed);
    entry.is.store(stage, order::relaxed);
  }
};

/// The last member places, twice; the others want a trampoline for these instructions.
template <std::uintptr_t... At>
struct wanting_free : wanting {
  void pass(unsigned member, unsigned members) {
    constexpr std::uintptr_t instructions[] = {At...};
    if (member == sizeof...(At)) {
      for (int i = 0; i < 2; ++i) placer();
    } else {
      handler(instructions[member]);
    }
    at_the_end(members);
  }
};
/// There has been no place for it.
template <wanting::outcome Then>
struct wanting_refused : wanting {
  void pass(unsigned member, unsigned members) {
    begin(member, [&] { is_already(trampoline::refused, 0); });
    if (member == 2) {
      placer(Then);
    } else {
      handler(member == 0 ? there : here);
    }
    at_the_end(members, Then);
  }
};
/// It is placed, and the library has been loaded there again.
struct wanting_again : wanting {
  void pass(unsigned member, unsigned members) {
    begin(member, [&] { is_already(trampoline::placed, stub_for(demand_for(here).text)); });
    if (member == 2) {
      placer();
    } else {
      handler(member == 0 ? here : there);
    }
    at_the_end(members);
  }
};

/// It is wanted again, and then a debugger attaches.
struct forgetting : wanting {
  void pass(unsigned member, unsigned members) {
    if (member == 0) {
      for (int i = 0; i < 2; ++i) handler(here);
    } else if (member == 1) {
      handler(there);
    } else {
      placer();
      entry.forget(trampoline::wanted);
    }
    at_the_end(members);
  }
};
/// Two find the code of another library there.
struct wanting_for_other_code : wanting {
  void pass(unsigned member, unsigned members) {
    if (member == 0) {
      handler(here);
      placer();
      placer();
    } else {
      handler(here, other_text);
    }
    at_the_end(members);
  }
};

inline std::vector<named> of_trampolines() {
  return {of<wanting_free<here>>("wanted by one", 2),
          of<wanting_free<here, here>>("wanted by two", 3),
          of<wanting_free<here, there>>("wanted for two", 3),
          of<wanting_refused<wanting::outcome::placed>>("refused, then wanted for another", 3),
          of<wanting_refused<wanting::outcome::no_room>>("refused twice", 3),
          of<wanting_refused<wanting::outcome::no_jump>>("refused for the jump", 3),
          of<wanting_again>("wanted again", 3),
          of<forgetting>("wanted again and forgotten", 3),
          of<wanting_for_other_code>("wanted for other code", 3)};
}

}  // namespace explored_threads

namespace {

using namespace explored_orders;
using explored_threads::of_trampolines;

TEST(Trampolines, AnEntryIsForOneInstruction) {
  for (const auto& each : of_trampolines())
    for (const memory_model memory : {memory_model::sc, memory_model::weak}) {
      const verdict v = explore(each.program, {.memory = memory});
      EXPECT_TRUE(v.holds && v.complete) << each.name << '\n' << v.timeline;
    }
}

TEST(Trampolines, EachOrderIsNeededOrHasAReason) {
  std::map<site, std::string> written;
  scan(source / "src/threads/polling/trampoline_stages.hpp", written);
  std::vector<candidate> candidates;
  for (const auto& each : of_trampolines()) candidates.push_back({each.name, each.program});
  expect_needed(written, candidates, {});
}

}  // namespace
