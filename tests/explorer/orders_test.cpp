// Each memory order of the barriers, the gate and the waiting policies is needed: if it alone is weakened, the explorer finds a
// breach under weak memory. If the explorer finds none, a table gives the reason for the order.
//
// The places are taken from the headers' text and from the operations of the explored machine: both must name the same ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <weir/barriers/phased.hpp>

#include "simulator/explorer/explorer.hpp"
#include "simulator/explorer/subjects.hpp"

namespace {

using namespace weir::explorer;
using order = std::memory_order;

const std::filesystem::path source = WEIR_SOURCE;

/// A line with an order that could be weaker.
struct site {
  std::string file;  // below the source's root
  unsigned line = 0;
  order written{};
  friend auto operator<=>(const site&, const site&) = default;
};

const char* name_of(order o) {
  switch (o) {
    case order::relaxed: return "relaxed";
    case order::acquire: return "acquire";
    case order::release: return "release";
    case order::acq_rel: return "acq_rel";
    default: return "seq_cst";
  }
}

std::vector<order> weaker_than(order o) {
  switch (o) {
    case order::acquire:
    case order::release: return {order::relaxed};
    case order::acq_rel: return {order::acquire, order::release};
    case order::seq_cst: return {order::acq_rel};
    default: return {};
  }
}

std::string trimmed(std::string line) {
  line.erase(std::min(line.find("//"), line.size()));
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
}

/// Adds the lines of a file that name an order, with their text.
void scan(const std::filesystem::path& file, std::map<site, std::string>& found) {
  std::ifstream in(file);
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    const std::string text = trimmed(line);
    for (const order o : {order::acquire, order::release, order::acq_rel, order::seq_cst}) {
      const std::string written = std::string("std::memory_order_") + name_of(o);
      const auto at = text.find(written);
      if (at == std::string::npos || text.find("= " + written) != std::string::npos) continue;  // a default argument
      EXPECT_EQ(text.find(written, at + 1), std::string::npos) << "two of the same order on one line: " << text;
      found[{file.lexically_relative(source), number, o}] = text;
    }
  }
}

std::map<site, std::string> all_sites() {
  std::map<site, std::string> found;
  for (const char* folder : {"include/weir/barriers", "include/weir/machine"})
    for (const auto& f : std::filesystem::directory_iterator(source / folder)) scan(f.path(), found);
  for (const char* file : {"waiting.hpp", "waiting_automatic.hpp"}) scan(source / "include/weir" / file, found);
  scan(source / "src/simulator/explorer/explored.hpp", found);
  return found;
}

/// The core of the standard, C and POSIX faces.
struct standard {
  weir::barriers::phased<explored> core;
  std::vector<unsigned> episode;
  standard(unsigned members, bool shared) : core(members, shared), episode(members) {}
  void arrive_and_wait(unsigned member) {
    const unsigned now = ++episode[member];
    const auto a = core.arrive(1, [now] { explored::complete(now); });
    if (!a.last) core.wait(a.of);
  }
};

/// An opening for some: member 1 waits for what member 0 tells, and only the gate orders it.
struct telling {
  weir::basic_gate<explored_kernel> gate;
  explored::word<std::uint32_t> told{0};
  void run(unsigned member) {
    const auto is_told = [this] { return told.load(order::relaxed) != 0; };
    if (member == 0) {
      told.store(1, order::relaxed);
      gate.open_to(1);
    } else {
      while (!is_told()) gate.sleep_unless(is_told);
    }
  }
};

struct candidate {
  std::string name;
  subject s;
  std::set<site> reached = {};
};

/// The subjects, the smallest first, because they find most.
std::vector<candidate> candidates() {
  using known = weir::registry<explored>;
  std::vector<candidate> all;
  for (const unsigned members : {2u, 3u})
    for (const auto& a : known::algorithms())
      for (const unsigned processors : placements(a.name, "spin", members)) {
        const weir::team t = explored_team(members, processors);
        const std::string name = a.name + (", " + std::to_string(members) + " members on ") + std::to_string(processors);
        all.push_back({name, barrier_subject(a.name, "spin", t, 2)});
        for (const auto who : {weir::completed_by::any_member, weir::completed_by::member_0})
          all.push_back({name + ", completing", completing_subject(a.name, "spin", t, 2, who)});
      }
  for (const char* waiting : {"share", "yield", "block", "auto"})
    for (const char* name : {"sense", "condvar", "combination"})
      for (const unsigned processors : placements(name, waiting, 2)) {
        const weir::team t = explored_team(2, processors);
        all.push_back({std::string(name) + "/" + waiting, barrier_subject(name, waiting, t, name == std::string("sense") ? 2 : 1)});
      }
  for (const bool shared : {false, true}) {
    all.push_back({"phased", meeting(2, 2, [=] { return std::make_unique<standard>(2, shared); })});
    all.back().s.completes = true;
  }
  all.push_back({"opening for some", {}});
  all.back().s.members = 2;
  all.back().s.build = []() -> subject::body {
    auto* const its = new telling;
    return [its](unsigned member) { its->run(member); };
  };
  // Yields that take as long as another process's time slices, until the team sleeps and leaves the processor to that process.
  weir::team beside = explored_team(2);
  beside.awake_us = 30e3;
  all.push_back({"sense/auto beside others", barrier_subject("sense", "auto", beside, 1)});
  all.back().s.tick = 100;
  all.back().s.slice = 4000;
  // Two members sleep: the second one finds the gate guarded.
  all.push_back({"sense/block, 3 members", barrier_subject("sense", "block", explored_team(3), 1)});
  return all;
}

/// The path depends on how the compiler was called.
site site_of(const std::source_location& at, order written) {
  const std::string path = at.file_name();
  return {path.substr(std::min(path.find("include/weir/"), path.find("src/simulator/"))), at.line(), written};
}

verdict explored_with(const candidate& c, const decltype(subject::order_at)& order_at) {
  subject s = c.s;
  s.order_at = order_at;
  return explore(s, {.memory = memory_model::weak, .most_states = 1'000'000});
}

/// The first breach if one order is weaker; "" if none.
std::string found_with(const std::vector<candidate>& all, const site& at, order weaker) {
  for (const candidate& c : all) {
    if (!c.reached.contains(at)) continue;
    const verdict v = explored_with(c, [&](const std::source_location& here, order written) {
      return written == at.written && here.line() == at.line && site_of(here, written) == at ? weaker : written;
    });
    if (!v.holds) return c.name + ": " + v.violated;
  }
  return "";
}

/// An order that no explored subject needs, and its reason; `weaker`: seq_cst if the explorer never reaches the place.
struct kept {
  std::string file, text;
  order weaker;
  const char* why;
};

constexpr const char* a_requirement = "says what a machine must have, and runs nowhere";
constexpr const char* of_cores = "the explored machine polls in its stead, and its polls are among the places";
constexpr const char* of_the_compiler = "for the compiler alone: no explorer sees what it does";
const kept table[] = {
    {"include/weir/machine/machine.hpp", "{ word.load(std::memory_order_acquire) } -> std::same_as<std::uint32_t>;",
     order::seq_cst, a_requirement},
    {"include/weir/machine/machine.hpp", "word.store(1u, std::memory_order_release);", order::seq_cst, a_requirement},
    {"include/weir/machine/machine.hpp", "{ word.fetch_add(1u, std::memory_order_acq_rel) } -> std::same_as<std::uint32_t>;",
     order::seq_cst, a_requirement},
    {"include/weir/machine/native.hpp", "while (!ready(word.load(std::memory_order_acquire))) pause();", order::seq_cst, of_cores},
    {"include/weir/machine/native.hpp", "if (ready(word.load(std::memory_order_acquire))) return true;", order::seq_cst, of_cores},
    {"include/weir/machine/native.hpp", "while (!ready(word.load(std::memory_order_acquire))) yield();", order::seq_cst, of_cores},
    {"include/weir/machine/native.hpp", "std::atomic_signal_fence(std::memory_order_seq_cst);", order::seq_cst, of_the_compiler},
    {"include/weir/machine/gate.hpp", "static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }",
     order::seq_cst, of_the_compiler},
};

bool is_kept(const site& s, const std::string& text, order weaker) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const kept& k) { return k.file == s.file && k.text == text && k.weaker == weaker; });
}

TEST(Orders, EachIsNeededOrHasAReason) {
  const std::map<site, std::string> written = all_sites();
  std::vector<candidate> all = candidates();
  std::set<site> reached;
  for (candidate& c : all) {
    const verdict v = explored_with(c, [&c](const std::source_location& at, order written_here) {
      if (!weaker_than(written_here).empty()) c.reached.insert(site_of(at, written_here));
      return written_here;
    });
    EXPECT_TRUE(v.holds && v.complete) << c.name << '\n' << v.timeline;
    reached.insert(c.reached.begin(), c.reached.end());
  }
  for (const site& s : reached)
    EXPECT_TRUE(written.contains(s)) << s.file << ':' << s.line << ": an order that the text does not show on this line";

  unsigned tried = 0, found = 0, unreached = 0, survived = 0;
  for (const auto& [s, text] : written) {
    const std::string where = s.file + ':' + std::to_string(s.line) + ": " + text;
    const bool listed = is_kept(s, text, order::seq_cst);
    EXPECT_NE(reached.contains(s), listed) << where << (listed ? "\nis reached now" : "\nis never reached");
    unreached += listed;
    if (!reached.contains(s)) continue;
    for (const order weaker : weaker_than(s.written)) {
      const std::string what = found_with(all, s, weaker);
      const bool is_listed = is_kept(s, text, weaker);
      EXPECT_NE(what.empty(), !is_listed) << where << "\nas " << name_of(weaker)
                                          << (is_listed ? " is found now: " + what : " breaks nothing");
      ++tried;
      found += !what.empty();
      survived += what.empty();
    }
  }
  EXPECT_EQ(unreached + survived, std::size(table)) << "a line of the table is nowhere in the text";
  std::cout << written.size() << " places, " << reached.size() << " of them explored; " << tried << " weaker orders: " << found
            << " found, " << survived << " survive\n";
}

}  // namespace
