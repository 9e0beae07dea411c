#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "toml_reader.hpp"

namespace weir::simulator {

std::uint64_t dice::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double dice::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

namespace {
time bounded(double t) { return std::llround(std::min(t, static_cast<double>(end_of_time))); }
}  // namespace

time draw(const application& a, unsigned member, dice& d) {
  const auto mean = static_cast<double>(a.compute);
  switch (a.varies) {
    case distribution::constant: return a.compute;
    case distribution::uniform: return bounded(mean * (1 - a.spread + 2 * a.spread * d.uniform()));
    case distribution::exponential: return bounded(-mean * std::log1p(-d.uniform()));
    case distribution::slow_member: return member == 0 ? bounded(mean * a.slow) : a.compute;
  }
  return a.compute;
}

namespace {

using json = nlohmann::json;

struct trace_line {
  const std::string& path;
  unsigned number;
  [[noreturn]] void complain(const std::string& key, const std::string& expected) const {
    throw bad_file(path + ":" + std::to_string(number) + ": " + key + ": expected " + expected);
  }
  std::uint64_t whole(const json& row, const char* key, std::uint64_t most) const {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > most)
      complain(key, "a whole number from 0 to " + std::to_string(most) +
                        (found == row.end() ? ", and it is missing" : ", not " + found->dump()));
    return found->get<std::uint64_t>();
  }
};

std::uint64_t nanoseconds(const trace_line& line, const char* key, const json& said) {
  if (!said.is_number() || said.get<double>() < 0 || said.get<double>() > 1e15)
    line.complain(key, "nanoseconds, 0 to 1e15, not " + said.dump());
  return static_cast<std::uint64_t>(from_ns(said.get<double>()));
}

program_event read_event(const trace_line& line, const json& row, unsigned members) {
  static const std::map<std::string, program_event::kind> known = {
      {"compute", program_event::kind::compute}, {"barrier", program_event::kind::barrier},
      {"send", program_event::kind::send},       {"receive", program_event::kind::receive},
      {"lock", program_event::kind::lock},       {"unlock", program_event::kind::unlock}};
  const auto said = row.find("do");
  const auto what = said != row.end() && said->is_string() ? known.find(said->get<std::string>()) : known.end();
  if (what == known.end()) line.complain("do", "one of compute, barrier, send, receive, lock, unlock");
  switch (what->second) {
    case program_event::kind::compute: {
      const auto ns = row.find("ns");
      if (ns == row.end()) line.complain("ns", "nanoseconds, 0 to 1e15, and it is missing");
      return {what->second, nanoseconds(line, "ns", *ns)};
    }
    case program_event::kind::barrier: return {what->second, 0};
    case program_event::kind::send: return {what->second, line.whole(row, "to", members - 1)};
    case program_event::kind::receive: return {what->second, line.whole(row, "from", members - 1)};
    default: return {what->second, line.whole(row, "lock", 1023)};
  }
}

/// All members do it, each after computing as long as the list says.
void read_event_of_all(const trace_line& line, const json& row, std::vector<std::vector<program_event>>& trace) {
  const auto ns = row.find("after_ns");
  if (ns == row.end()) line.complain("member", "a whole number, or after_ns in its place; both are missing");
  if (!ns->is_array() || ns->size() != trace.size())
    line.complain("after_ns", "a list of nanoseconds, one for each of " + std::to_string(trace.size()) + " members");
  const program_event event = read_event(line, row, static_cast<unsigned>(trace.size()));
  if (event.what == program_event::kind::compute) line.complain("do", "anything but compute beside after_ns");
  for (std::size_t m = 0; m < trace.size(); ++m) {
    if (const std::uint64_t computes = nanoseconds(line, "after_ns", (*ns)[m]); computes > 0)
      trace[m].push_back({program_event::kind::compute, computes});
    trace[m].push_back(event);
  }
}

}  // namespace

void slow_down(std::vector<std::vector<program_event>>& trace, double times) {
  for (auto& of_member : trace)
    for (program_event& e : of_member)
      if (e.what == program_event::kind::compute)
        e.value = static_cast<std::uint64_t>(bounded(static_cast<double>(e.value) * times));
}

std::vector<std::vector<program_event>> read_trace(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw bad_file(path + ": cannot be read");
  std::vector<std::vector<program_event>> trace;
  std::string text;
  for (unsigned number = 1; std::getline(file, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const trace_line line{path, number};
    const json row = json::parse(text, nullptr, false);
    if (!row.is_object()) line.complain("line", "a JSON object");
    if (trace.empty()) {
      const auto schema = row.find("schema");
      if (schema == row.end() || *schema != "weir-trace/1") line.complain("schema", "\"weir-trace/1\" in the first line");
      const std::uint64_t members = line.whole(row, "members", max_members);
      if (members == 0) line.complain("members", "at least 1");
      trace.resize(members);
      continue;
    }
    if (!row.contains("member")) {
      read_event_of_all(line, row, trace);
      continue;
    }
    const auto members = static_cast<unsigned>(trace.size());
    trace[line.whole(row, "member", members - 1)].push_back(read_event(line, row, members));
  }
  if (trace.empty()) throw bad_file(path + ":1: schema: expected \"weir-trace/1\" in the first line, the file is empty");
  return trace;
}

}  // namespace weir::simulator
