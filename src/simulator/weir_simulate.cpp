// weir-simulate: runs the points of a scenario, one at a time, for the `weir` command.
//
//   weir-simulate check FILE MACHINES    the scenario's contents, as JSON; runs nothing
//   weir-simulate serve FILE MACHINES    reads commands, one a line, and answers each with a line of JSON:
//       run POINT SEED [history] [lines N]
//       quit
//   weir-simulate transfer MACHINE A B   nanoseconds for a cache line from processor A to B
//   weir-simulate plan MACHINE MEMBERS [WAITING]   the fastest plan that a search finds for MEMBERS of its processors
//   weir-simulate machine MACHINE N...   its signature, and what "auto" takes there for teams of N members that are bound in turn
//   weir-simulate bench MACHINES         the speed of the simulator itself: operations per second, memory
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <weir/team_barrier.hpp>

#include "outcome.hpp"
#include "plan_search.hpp"
#include "probe.hpp"
#include "scenario.hpp"
#include "simulated.hpp"
#include "toml_reader.hpp"

namespace {

using namespace weir::simulator;
using json = nlohmann::ordered_json;

double bytes_available() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  double kilobytes = 0;
  while (file >> key >> kilobytes >> unit)
    if (key == "MemAvailable:") return kilobytes * 1024;
  return HUGE_VAL;
}

void refuse_what_does_not_fit(const scenario& s) {
  const double needed = bytes_needed(s), there = bytes_available();
  if (needed < there) return;
  std::ostringstream text;
  text << "needs about " << std::ceil(needed / 1e9) << " GB of memory, and " << std::floor(there / 1e8) / 10 << " GB are free";
  throw std::invalid_argument(text.str());
}

json point_json(const scenario_file& file, std::size_t point) {
  json j = {{"point", point}, {"chosen", json::object()}};
  for (const auto& [key, value] : file.choice(point)) j["chosen"][key] = json::parse(value, nullptr, false);
  for (auto& [key, value] : j["chosen"].items())
    if (value.is_discarded()) value = "?";
  return j;
}

int check(const scenario_file& file) {
  json j = {{"about", file.about()}, {"seeds", file.seeds()}, {"seed", file.first_seed()}};
  j["points"] = json::array();
  for (std::size_t i = 0; i < file.points(); ++i) {
    const scenario s = file.at(i);
    refuse_what_does_not_fit(s);
    json point = point_json(file, i);
    point["machine"] = s.machine.name;
    point["machine_processors"] = s.machine.built;
    point["processors"] = s.machine.processors;
    point["quantum_ns"] = in_ns(s.system.quantum);
    point["applications"] = json::array();
    for (const application& a : s.applications)
      point["applications"].push_back({{"name", a.name}, {"members", a.members}, {"barrier", a.barrier},
                                       {"waiting", a.waiting}, {"barriers", a.barriers}, {"compute_ns", in_ns(a.compute)}});
    j["points"].push_back(std::move(point));
  }
  std::cout << j.dump() << '\n';
  return 0;
}

json run_point(const scenario_file& file, std::istringstream& words) {
  std::size_t point = 0, lines = 16;
  std::uint64_t seed = 0;
  std::string word;
  if (!(words >> point >> seed) || point >= file.points())
    throw std::invalid_argument("run takes a point below " + std::to_string(file.points()) + " and a seed");
  bool history = false;
  while (words >> word) {
    if (word == "history") history = true;
    else if (word == "lines" && words >> lines) continue;
    else throw std::invalid_argument("run knows history and lines N, not " + word);
  }
  const scenario s = file.at(point);
  refuse_what_does_not_fit(s);
  simulation machine(s, seed, history);
  const run_result result = machine.run();
  json j = {{"point", point}, {"seed", seed}};
  j.update(outcome(s, machine, result, lines));
  return j;
}

int serve(const scenario_file& file) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "quit") break;
    json answer;
    try {
      if (verb != "run") throw std::invalid_argument("no such command: " + verb);
      answer = run_point(file, words);
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

unsigned number(const std::string& text) {
  unsigned n = 0;
  const char* const end = text.data() + text.size();
  if (const auto [rest, error] = std::from_chars(text.data(), end, n); error != std::errc{} || rest != end)
    throw std::invalid_argument("a number is needed, not \"" + text + '"');
  return n;
}

int search(const char* machine, const char* members, const std::string& waiting) {
  const machine_model m = read_machine(machine);
  const unsigned count = number(members);
  if (count < 2 || count > m.processors)
    throw std::invalid_argument("plan takes from 2 to " + std::to_string(m.processors) + " members, not " + members);
  const auto start = std::chrono::steady_clock::now();
  const plan_found found = search_plan(m, count, waiting);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << json{{"machine", m.name},
                    {"members", count},
                    {"plan", weir::plans::name_of(found.shape)},
                    {"barrier_ns", found.barrier_ns},
                    {"named", found.named},
                    {"named_ns", found.named_ns},
                    {"of_papers", found.of_papers},
                    {"of_papers_ns", found.of_papers_ns},
                    {"tried", found.tried},
                    {"host_s", took.count()}}
                   .dump()
            << '\n';
  return 0;
}

int transfer(const char* machine, const char* from, const char* to) {
  std::cout << json{{"transfer_ns", one_transfer_ns(read_machine(machine), number(from), number(to))}}.dump() << '\n';
  return 0;
}

int describe(const char* machine, int count, char** sizes) {
  const machine_model m = read_machine(machine);
  json choices = json::array();
  for (int i = 0; i < count; ++i) {
    weir::team t;
    t.members = number(sizes[i]);
    t.processors = m.processors;
    t.usable = m.processors;
    for (unsigned member = 0; member < t.members; ++member) t.placement.push_back(static_cast<int>(member % m.processors));
    const auto taken = weir::choose(weir::checked(std::move(t)), as_described(m));
    choices.push_back({{"members", number(sizes[i])}, {"algorithm", taken.algorithm}});
  }
  const std::string simulated_signature = signature(topology_of(m));
  std::cout
      << json{{"machine", m.name}, {"processors", m.processors}, {"signature", simulated_signature}, {"choices", choices}}.dump()
      << '\n';
  return 0;
}

double peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1024;
}

// Each run is a process of its own, so that its peak of memory is its own.
void bench_one(const char* what, const scenario& s) {
  std::cout << std::flush;
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error(std::string(what) + ": the run failed");
    return;
  }
  const double before = peak_bytes();
  simulation machine(s, 1);
  const run_result r = machine.run();
  std::printf("%-52s %7.2f s %10.2f M accesses %7.2f M/s %7.0f MB\n", what, r.host_seconds,
              static_cast<double>(r.accesses) / 1e6, static_cast<double>(r.accesses) / r.host_seconds / 1e6,
              (peak_bytes() - before) / 1e6);
  std::fflush(stdout);
  _exit(0);
}

int bench(const std::string& machines) {
  scenario s;
  s.machine = read_machine(machines + "/manycore-1024.toml");
  s.system.quantum = s.machine.system.quantum;
  s.applications.resize(1);
  application& a = s.applications[0];
  a.waiting = "spin";
  const auto run = [&](const char* barrier, unsigned members, unsigned barriers) {
    a.barrier = barrier;
    a.members = members;
    a.barriers = barriers;
    const std::string what = std::string(barrier) + ", " + std::to_string(members) + " members, " +
                             std::to_string(barriers) + " episodes";
    bench_one(what.c_str(), s);
  };
  run("dissemination", 1024, 1000);
  run("tournament", 1024, 2000);
  run("mcs", 1024, 2000);
  run("sense", 1024, 200);
  run("distributed-padded", 256, 100);
  // A machine of 4,096: the same, with four times as many boards.
  s.machine.built = s.machine.processors = s.machine.distances.back().group = 4096;
  run("dissemination", 4096, 100);
  run("counter", 4096, 20);
  a.waiting = "block";
  run("dissemination", 4096, 20);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  constexpr const char* usage =
      "usage: weir-simulate check|serve SCENARIO MACHINES, or\n"
      "       weir-simulate transfer MACHINE.toml FROM TO, or weir-simulate plan MACHINE.toml MEMBERS [WAITING],\n"
      "       or weir-simulate machine MACHINE.toml [MEMBERS...], or weir-simulate bench MACHINES\n";
  try {
    if (count == 2 && verb == "--help") {
      std::cout << usage;
      return 0;
    }
    if (count == 5 && verb == "transfer") return transfer(words[2], words[3], words[4]);
    if ((count == 4 || count == 5) && verb == "plan") return search(words[2], words[3], count == 5 ? words[4] : "spin");
    if (count >= 3 && verb == "machine") return describe(words[2], count - 3, words + 3);
    if (count == 3 && verb == "bench") return bench(words[2]);
    if (count == 4 && verb == "check") return check(scenario_file(words[2], words[3]));
    if (count == 4 && verb == "serve") return serve(scenario_file(words[2], words[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  std::cerr << usage;
  return 2;
}
