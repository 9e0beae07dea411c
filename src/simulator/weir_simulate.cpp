// weir-simulate: runs the points of a scenario, one at a time, for the `weir` command.
//
//   weir-simulate check FILE MACHINES    what the scenario holds, as JSON; nothing is run
//   weir-simulate serve FILE MACHINES    reads commands, one a line, and answers each with a line of JSON:
//       run POINT SEED [history] [lines N]
//       quit
//   weir-simulate names                  the barriers and policies it knows
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "outcome.hpp"
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

int names() {
  json j;
  for (const auto& a : weir::registry<simulated>::algorithms()) j["barriers"].push_back(a.name);
  for (const auto& w : weir::registry<simulated>::waitings()) j["waitings"].push_back(w.name);
  std::cout << j.dump() << '\n';
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  try {
    if (verb == "names") return names();
    if (count == 4 && verb == "check") return check(scenario_file(words[2], words[3]));
    if (count == 4 && verb == "serve") return serve(scenario_file(words[2], words[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  std::cerr << "usage: weir-simulate check|serve SCENARIO MACHINES, or weir-simulate names\n";
  return 2;
}
