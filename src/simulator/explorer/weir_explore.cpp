// weir-explore: every schedule of a barrier for a small team, or some of a larger one.
//
//   weir-explore --help
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "explorer.hpp"
#include "subjects.hpp"

namespace {

using namespace weir::explorer;
using seconds = std::chrono::duration<double>;
using known = weir::registry<explored>;

volatile std::sig_atomic_t interrupted = 0;

struct arguments {
  std::string barrier, waiting = "spin";
  bool every_barrier = false, json = false, full = false, help = false;
  unsigned members = 3, episodes = 2, processors = 0, random = 0;
  memory_model memory = memory_model::tso;
  double tick = 300;
  std::uint64_t seed = 1, most_states = 20'000'000;
};

struct wrong_usage : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Printed after "usage: " and the name under which the program was started.
constexpr const char* usage = R"( BARRIER|--all [options]

  --all                  every barrier with every waiting policy, as a table
  --waiting W            waiting policy (spin)
  --members N            threads of the team: 1 to 128 (3)
  --episodes E           consecutive barriers: 1 to 64 (2)
  --memory sc|tso|weak   sequential consistency, store buffers, or weak memory (tso)
  --processors N         processors of the team: 1 to 128 (one for each thread, and fewer if that makes a difference)
  --tick MICROSECONDS    advance of the clock at each reading: 1 to 10000000 (300)
  --full                 without partial-order reduction
  --most-states N        end the search after this many: 1 to 2000000000 (20000000)
  --random SCHEDULES     run this many by random priorities, instead of all: 1 to 1000000000
  --seed S               seed of the random ones: 0 to 18446744073709551615 (1)
  --json                 print JSON
  --help                 print this text

Exit status: 0 the barrier is correct, 1 it is not, 2 usage.
)";

std::uint64_t whole(const std::string& name, const std::string& value, std::uint64_t least, std::uint64_t most) {
  std::size_t used = 0;
  std::uint64_t n = 0;
  try {
    n = std::stoull(value, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != value.size() || std::isdigit(static_cast<unsigned char>(value[0])) == 0 || n < least || n > most)
    throw wrong_usage(name + " takes a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                      ", not \"" + value + "\"");
  return n;
}

arguments read(int count, char** words) {
  arguments a;
  for (int i = 1; i < count; ++i) {
    const std::string name = words[i];
    const auto value = [&]() -> std::string {
      if (++i == count) throw wrong_usage(name + " takes a value");
      return words[i];
    };
    const auto small = [&](unsigned least, unsigned most) { return static_cast<unsigned>(whole(name, value(), least, most)); };
    if (name == "--all") a.every_barrier = true;
    else if (name == "--help") a.help = true;
    else if (name == "--json") a.json = true;
    else if (name == "--full") a.full = true;
    else if (name == "--waiting") a.waiting = value();
    else if (name == "--members") a.members = small(1, 128);
    else if (name == "--episodes") a.episodes = small(1, 64);
    else if (name == "--processors") a.processors = small(1, 128);
    else if (name == "--tick") a.tick = small(1, 10'000'000);
    else if (name == "--random") a.random = small(1, 1'000'000'000);
    else if (name == "--seed") a.seed = whole(name, value(), 0, ~std::uint64_t{0});
    else if (name == "--most-states") a.most_states = whole(name, value(), 1, 2'000'000'000);
    else if (name == "--memory") {
      const std::string memory = value();
      if (memory != "sc" && memory != "tso" && memory != "weak")
        throw wrong_usage("--memory takes sc, tso or weak, not \"" + memory + "\"");
      a.memory = memory == "sc" ? memory_model::sc : memory == "tso" ? memory_model::tso : memory_model::weak;
    } else if (name.starts_with("-")) throw wrong_usage("no such option: " + name);
    else if (!a.barrier.empty()) throw wrong_usage("one barrier at a time: " + a.barrier + " or " + name);
    else a.barrier = name;
  }
  if (!a.help && a.barrier.empty() != a.every_barrier) throw wrong_usage("which barrier? A name, or --all");
  return a;
}

struct outcome {
  verdict v;
  double took = 0;
};

/// One exploration.
struct setting {
  std::string barrier, waiting;
  unsigned processors;
};

outcome run_once(const arguments& a, const setting& of) {
  const auto start = std::chrono::steady_clock::now();
  const auto since = [start] { return seconds(std::chrono::steady_clock::now() - start).count(); };
  double told = 2;
  const auto go_on = [&](const counts& c) {
    if (since() > told) {
      told += 1;
      std::cerr << '\r' << of.barrier << "/" << of.waiting << ": " << (a.random != 0 ? c.schedules : double(c.states))
                << (a.random != 0 ? " schedules, " : " states, ") << static_cast<int>(since()) << " s " << std::flush;
    }
    return interrupted == 0;
  };
  subject s = barrier_subject(of.barrier, of.waiting, explored_team(a.members, of.processors), a.episodes);
  s.tick = a.tick;
  outcome o;
  if (a.random != 0)
    o.v = explore_at_random(s, {.memory = a.memory, .schedules = a.random, .seed = a.seed, .go_on = go_on});
  else
    o.v = explore(s, {.memory = a.memory, .reduce = !a.full, .most_states = a.most_states, .go_on = go_on});
  o.took = since();
  if (told > 2) std::cerr << '\n';
  return o;
}

// Shows a failure in as few episodes as possible.
outcome run(const arguments& a, const setting& of) {
  outcome o = run_once(a, of);
  arguments fewer = a;
  for (fewer.episodes = 1; !o.v.holds && fewer.episodes < a.episodes; ++fewer.episodes)
    if (outcome shorter = run_once(fewer, of); !shorter.v.holds) return shorter;
  return o;
}

const char* name_of(memory_model m) { return m == memory_model::sc ? "sc" : m == memory_model::tso ? "tso" : "weak"; }

const char* word_for(const verdict& v) { return !v.holds ? "VIOLATED" : v.complete ? "holds" : "not complete"; }

nlohmann::ordered_json json_of(const arguments& a, const setting& of, const outcome& o) {
  nlohmann::ordered_json j = {{"barrier", of.barrier}, {"waiting", of.waiting}, {"members", a.members},
                              {"processors", of.processors},
                              {"episodes", a.episodes}, {"memory", name_of(a.memory)},
                              {"reduced", a.random == 0 && !a.full}, {"holds", o.v.holds},
                              {"complete", o.v.complete}, {"states", o.v.reached.states},
                              {"transitions", o.v.reached.transitions}, {"schedules", o.v.reached.schedules},
                              {"local_states", o.v.reached.local_states}, {"seconds", o.took}};
  if (a.random != 0) j["seed"] = a.seed;
  if (!o.v.holds) {
    j["violated"] = o.v.violated;
    j["timeline"] = o.v.timeline;
  }
  return j;
}

void print_head() {
  std::printf("%-20s %-6s %10s %12s %13s %12s %9s  %s\n", "barrier", "waits", "processors", "states", "transitions", "schedules",
              "seconds", "verdict");
}

void print_row(const setting& of, const outcome& o) {
  const counts& c = o.v.reached;
  std::printf("%-20s %-6s %10u %12llu %13llu %12.3g %9.3f  %s\n", of.barrier.c_str(), of.waiting.c_str(), of.processors,
              static_cast<unsigned long long>(c.states), static_cast<unsigned long long>(c.transitions), c.schedules,
              o.took, word_for(o.v));
  std::fflush(stdout);
}

int explore_all(const arguments& a, const std::vector<setting>& settings) {
  int status = 0;
  // Unknown names and excessive sizes are reported before anything else.
  const setting& first = settings.front();
  (void)barrier_subject(first.barrier, first.waiting, explored_team(a.members, first.processors), a.episodes);
  if (!a.json) {
    std::printf("%u members, %u episodes, %s%s\n", a.members, a.episodes, name_of(a.memory),
                a.random != 0 ? ", random schedules" : a.full ? ", no reduction" : "");
    print_head();
  }
  for (const setting& of : settings) {
    const outcome o = run(a, of);
    if (a.json)
      std::cout << json_of(a, of, o).dump() << std::endl;
    else
      print_row(of, o);
    if (!o.v.holds) {
      status = 1;
      if (!a.json) std::cout << '\n' << o.v.timeline << std::endl;
    }
    if (interrupted != 0) return status;
  }
  return status;
}

std::vector<setting> all_of(const arguments& a) {
  std::vector<std::string> barriers, waitings;
  for (const auto& b : known::algorithms()) barriers.push_back(b.name);
  for (const auto& w : known::waitings()) waitings.push_back(w.name);
  if (!a.every_barrier) barriers = {a.barrier}, waitings = {a.waiting};
  std::vector<setting> runs;
  for (const auto& barrier : barriers)
    for (const auto& waiting : waitings)
      for (const unsigned p : a.processors != 0 ? std::vector{a.processors} : placements(barrier, waiting, a.members))
        runs.push_back({barrier, waiting, p});
  return runs;
}

}  // namespace

int main(int count, char** words) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  // `weir explore` starts it under that name.
  const std::string path = count > 0 ? words[0] : "weir-explore", name = path.substr(path.rfind('/') + 1);
  try {
    const arguments a = read(count, words);
    if (a.help) {
      std::cout << "usage: " << name << usage;
      return 0;
    }
    return explore_all(a, all_of(a));
  } catch (const wrong_usage& error) {
    std::cerr << name << ": " << error.what() << "; " << name << " --help lists the options\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return 2;
}
