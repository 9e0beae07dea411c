// Each memory order of the barriers, the gate and the waiting policies is needed: if it alone is weakened, the explorer finds a
// breach under weak memory. If the explorer finds none, a table gives the reason for the order.
//
// The places are taken from the headers' text and from the operations of the explored machine: both must name the same ones.
#include <gtest/gtest.h>

#include <weir/barriers/phased.hpp>

#include "orders.hpp"
#include "simulator/explorer/subjects.hpp"

namespace {

using namespace explored_orders;
using namespace weir::explorer;

std::map<site, std::string> all_sites() {
  std::map<site, std::string> found;
  for (const char* folder : {"include/weir/barriers", "include/weir/machine"})
    for (const auto& f : std::filesystem::directory_iterator(source / folder)) scan(f.path(), found);
  for (const char* file : {"waiting.hpp", "waiting_automatic.hpp"}) scan(source / "include/weir" / file, found);
  scan(source / "src/simulator/explorer/explored.hpp", found);
  return found;
}

/// The core of the standard, C and POSIX interfaces.
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

/// The subjects, the smallest first, because they find most.
std::vector<candidate> candidates() {
  using known = weir::registry<explored>;
  std::vector<candidate> subjects;
  for (const unsigned members : {2u, 3u})
    for (const auto& a : known::algorithms())
      for (const unsigned processors : placements(a.name, "spin", members)) {
        const weir::team t = explored_team(members, processors);
        const std::string name = a.name + (", " + std::to_string(members) + " members on ") + std::to_string(processors);
        subjects.push_back({name, barrier_subject(a.name, "spin", t, 2)});
        for (const auto who : {weir::completed_by::any_member, weir::completed_by::member_0})
          subjects.push_back({name + ", completing", completing_subject(a.name, "spin", t, 2, who)});
      }
  weir::team spread = explored_team(2);
  spread.spread = true;
  subjects.push_back({"mcs, spread", barrier_subject("mcs", "spin", spread, 2)});
  subjects.push_back({"mcs, spread, completing", completing_subject("mcs", "spin", spread, 2, weir::completed_by::any_member)});
  for (const char* waiting : {"share", "yield", "block", "auto"})
    for (const char* name : {"sense", "condvar", "combination"})
      for (const unsigned processors : placements(name, waiting, 2)) {
        const weir::team t = explored_team(2, processors);
        subjects.push_back(
            {std::string(name) + "/" + waiting, barrier_subject(name, waiting, t, name == std::string("sense") ? 2 : 1)});
      }
  for (const bool shared : {false, true}) {
    subjects.push_back({"phased", meeting(2, 2, [=] { return std::make_unique<standard>(2, shared); })});
    subjects.back().s.completes = true;
  }
  subjects.push_back({"opening for some", {}});
  subjects.back().s.members = 2;
  subjects.back().s.build = []() -> subject::body {
    auto* const teller = new telling;
    return [teller](unsigned member) { teller->run(member); };
  };
  // Yields that take as long as another process's time slices, until the team sleeps and leaves the processor to that process.
  weir::team beside = explored_team(2);
  beside.awake_us = 30e3;
  subjects.push_back({"sense/auto beside others", barrier_subject("sense", "auto", beside, 1)});
  subjects.back().s.tick = 100;
  subjects.back().s.slice = 4000;
  // Two members sleep: the second one finds the gate guarded.
  subjects.push_back({"sense/block, 3 members", barrier_subject("sense", "block", explored_team(3), 1)});
  return subjects;
}

constexpr const char* a_requirement = "says what a machine must have, and runs nowhere";
constexpr const char* of_cores = "the explored machine polls in its stead, and its polls are among the places";
constexpr const char* of_the_compiler = "for the compiler alone: no explorer sees what it does";
const kept table[] = {
    {"include/weir/machine/machine.hpp", "{ word.load(std::memory_order_acquire) } -> std::same_as<std::uint32_t>;",
     order::seq_cst, a_requirement},
    {"include/weir/machine/machine.hpp", "word.store(1u, std::memory_order_release);", order::seq_cst, a_requirement},
    {"include/weir/machine/machine.hpp", "{ word.fetch_add(1u, std::memory_order_acq_rel) } -> std::same_as<std::uint32_t>;",
     order::seq_cst, a_requirement},
    {"include/weir/machine/native.hpp", "while (!ready(word.load(std::memory_order_acquire))) pause();", order::seq_cst,
     of_cores},
    {"include/weir/machine/native.hpp", "if (ready(word.load(std::memory_order_acquire))) return true;", order::seq_cst,
     of_cores},
    {"include/weir/machine/native.hpp", "while (!ready(word.load(std::memory_order_acquire))) yield();", order::seq_cst,
     of_cores},
    {"include/weir/machine/native.hpp", "std::atomic_signal_fence(std::memory_order_seq_cst);", order::seq_cst, of_the_compiler},
    {"include/weir/machine/gate.hpp",
     "static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }", order::seq_cst,
     of_the_compiler},
};

TEST(Orders, EachIsNeededOrHasAReason) { expect_needed(all_sites(), candidates(), {std::begin(table), std::end(table)}); }

}  // namespace
