// weir-simulate-openmp: simulates constructs of OpenMP runtimes, one at a time, for the `weir` command.
//
//   weir-simulate-openmp list             the constructs, runtimes and placements that it knows, as JSON
//   weir-simulate-openmp serve MACHINE    reads commands, one a line, and answers each with a line of JSON:
//       run CONSTRUCT RUNTIME MEMBERS SEED DELAY_NS HOMES
//       quit
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "simulator/openmp/measuring.hpp"

namespace {

using namespace weir::simulator;
using json = nlohmann::ordered_json;

constexpr std::pair<const char*, placement> homes[] = {
    {"first-touch", placement::allocator},
    {"waiter", placement::waiter},
    {"interleaved", placement::interleaved},
};

placement home_called(const std::string& name) {
  for (const auto& [home_name, where] : homes)
    if (home_name == name) return where;
  throw std::invalid_argument("no placement is called \"" + name + "\"; known are first-touch, waiter, interleaved");
}

int list() {
  json j = {{"constructs", json::array()}, {"modelled", json::array()}, {"runtimes", json::array()}, {"homes", json::array()}};
  for (const openmp::construct& c : openmp::constructs()) {
    j["constructs"].push_back({{"name", c.name}, {"group", c.group}});
    if (c.modelled) j["modelled"].push_back(c.name);
  }
  for (const openmp::runtime& r : openmp::runtimes())
    j["runtimes"].push_back({{"name", r.name}, {"about", r.about}, {"model", r.is_model}});
  for (const auto& [name, where] : homes) j["homes"].push_back(name);
  std::cout << j.dump() << '\n';
  return 0;
}

json answer(const machine_model& m, std::istringstream& words) {
  openmp::question asked;
  std::string verb, where;
  double delay = 0;
  words >> verb;
  if (verb != "run") throw std::invalid_argument("no such command: " + verb);
  if (!(words >> asked.construct >> asked.runtime >> asked.members >> asked.seed >> delay >> where) || delay < 0 || delay > 1e9)
    throw std::invalid_argument("run takes CONSTRUCT RUNTIME MEMBERS SEED DELAY_NS HOMES");
  asked.delay = from_ns(delay);
  asked.homes = home_called(where);
  const openmp::result r = simulate(m, asked);
  return {{"episode_ns", r.episode_ns}, {"inner", r.inner}, {"reference_ns", r.reference_ns}, {"moved", r.moved},
          {"atomics", r.atomics},       {"failed", r.failed},             {"calls", r.calls},
          {"woken", r.woken},           {"busiest_line", r.busiest_line}, {"accesses", r.accesses},
          {"read_line", r.read_line},   {"busiest_member", r.busiest_member}, {"critical_path", r.critical_path},
          {"floor_ns", r.floor_ns},     {"host_s", r.host_seconds}};
}

int serve(const char* machine) {
  const machine_model m = read_machine(machine);
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    std::istringstream words(line);
    json said;
    try {
      said = answer(m, words);
    } catch (const std::exception& error) {
      said = {{"error", error.what()}};
    }
    std::cout << said.dump() << std::endl;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  constexpr const char* usage = "usage: weir-simulate-openmp list, or weir-simulate-openmp serve MACHINE.toml\n";
  try {
    if (count == 2 && verb == "--help") {
      std::cout << usage;
      return 0;
    }
    if (count == 2 && verb == "list") return list();
    if (count == 3 && verb == "serve") return serve(words[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  std::cerr << usage;
  return 2;
}
