#include "protocol.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include <weir/machine/native.hpp>

namespace bench {

using nlohmann::json;

json list_of(const catalogue& entries) {
  json list = json::array();
  for (const auto& e : entries)
    list.push_back({{"id", e.about.id},
                    {"family", e.about.family},
                    {"algorithm", e.about.algorithm},
                    {"waiting", e.about.waiting},
                    {"version", e.about.version}});
  return list;
}

json floor_list(const std::vector<int>& processors) {
  json list = json::array();
  const auto add = [&list](const std::string& id, const char* what, std::vector<int> where) {
    list.push_back(
        {{"id", id}, {"family", "floor"}, {"algorithm", what}, {"waiting", "none"}, {"version", ""}, {"processors", where}});
  };
  for (const int p : processors) add("floor:switch:" + std::to_string(p), "switch", {p});
  for (const int a : processors)
    for (const int b : processors)
      if (a != b) add("floor:transfer:" + std::to_string(a) + ":" + std::to_string(b), "transfer", {a, b});
  return list;
}

protocol::protocol(const catalogue& entries, bool with_floor, serving s)
    : entries_(entries), with_floor_(with_floor), serving_(std::move(s)), work_(serving_.delay_ns) {}

namespace {

json answer(const std::string& command, const answers& by_name) {
  const auto space = command.find(' ');
  const std::string verb = command.substr(0, space);
  const std::string id = space == std::string::npos ? "" : command.substr(space + 1);
  try {
    if (const auto known = by_name.find(verb); known != by_name.end()) return known->second(id);
    std::string names;
    for (const auto& [name, _] : by_name) names += name + " ID, ";
    throw std::invalid_argument("unknown command \"" + verb + "\"; known are " + names + "quit");
  } catch (const std::exception& e) {
    return {{"id", id}, {"error", e.what()}};
  }
}

}  // namespace

void answer_all(const answers& by_name) {
  for (std::string command; std::getline(std::cin, command) && command != "quit";)
    std::cout << answer(command, by_name).dump() << std::endl;
}

json as_answer(const std::string& id, const reading& r) {
  return {{"id", id},
          {"inner", r.inner},
          {"episode_ns", r.episode_ns},
          {"reference_ns", r.reference_ns},
          {"overhead_ns", r.episode_ns - r.reference_ns},
          {"cpu_ns", r.cpu_ns},
          {"cycles_per_ns", weir::native::ticks_per_microsecond() / 1000}};
}

json as_answer(const std::string& id, std::uint64_t inner, cost one) {
  return as_answer(id, reading{inner, one.wall_ns, 0, one.cpu_ns});
}

void protocol::answer_all(crew& members) {
  bench::answer_all({{"sample", [&](const std::string& id) { return sample(id, members); }},
                     {"drop", [&](const std::string& id) -> json { return {{"id", id}, {"dropped", in_use_.erase(id) > 0}}; }}});
}

json protocol::sample(const std::string& id, crew& members) {
  if (with_floor_ && id.starts_with("floor:")) return sample_floor(id);
  chosen& c = chosen_for(id, members);
  return as_answer(id, members.measure(*c.what, c.inner, work_));
}

// Chooses the inner repetitions so that the resolution of the clock (tens of ns) does not matter, and a sample lasts as long as
// asked.
protocol::chosen& protocol::chosen_for(const std::string& id, crew& members) {
  if (const auto known = in_use_.find(id); known != in_use_.end()) return known->second;
  const auto e = std::find_if(entries_.begin(), entries_.end(), [&](const entry& x) { return x.about.id == id; });
  if (e == entries_.end()) {
    std::string ids;
    for (const auto& x : entries_) ids += " " + x.about.id;
    throw std::invalid_argument("nothing is called \"" + id + "\" here; known are" + ids);
  }
  chosen c{e->make(serving_.team, e->about), 1};
  c.inner = members.pilot(*c.what, serving_.sample_ms * 1e6, serving_.limit_ms * 1e6, work_);
  return in_use_.emplace(id, std::move(c)).first->second;
}

json protocol::sample_floor(const std::string& id) const {
  for (const auto& f : floor_list(serving_.team.processors)) {
    if (f["id"] != id) continue;
    const auto where = f["processors"].get<std::vector<int>>();
    const bool transfer = f["algorithm"] == "transfer";
    const std::uint64_t inner = transfer ? 2000 : 500;
    const cost one = transfer ? one_transfer(where[0], where[1], inner) : one_switch(where[0], inner);
    return as_answer(id, inner, one);
  }
  throw std::invalid_argument("no such floor here: \"" + id + "\"; processors are those of --processors");
}

}  // namespace bench
