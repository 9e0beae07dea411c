// weir-measure-threads: the experiments of paper 000, on user-level members and on kernel threads.
#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>

#include <weir/machine/processors.hpp>

#include "../barriers/arguments.hpp"
#include "probes.hpp"
#include "program.hpp"

namespace bench {
namespace {

const char* const usage_of_threads =
    "\nusage: serve [--processors A,B,..] [--sample-ms M] [--limit-ms L]"
    "\n       --help"
    "\nserve reads \"sample ID\", \"drop ID\" and \"quit\"; an ID is switch:KIND, quantum:KIND, or a program:"
    "\n  KIND:BARRIER/WAITING:members=N:processors=N:compute_ns=D"
    "[:applications=N:policy=POLICY:distribution=SHAPE:slot_us=D]"
    "\n  KIND: user, kernel. POLICY: shared, partition, coscheduling. SHAPE: constant, exponential";

struct asked {
  std::vector<int> processors = weir::affinity();
  double sample_ms = 5, limit_ms = 400;
};

asked parse_words(const std::vector<std::string>& words) {
  asked a;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::string& option = words[i];
    if (option != "--processors" && option != "--sample-ms" && option != "--limit-ms")
      throw std::invalid_argument("unknown option \"" + option + '"' + usage_of_threads);
    if (i + 1 == words.size()) throw std::invalid_argument(option + " needs a value" + usage_of_threads);
    if (option == "--processors") a.processors = processors_in(option, words[i + 1]);
    if (option == "--sample-ms") a.sample_ms = sample_time_in(option, words[i + 1]);
    if (option == "--limit-ms") a.limit_ms = sample_time_in(option, words[i + 1]);
  }
  return a;
}

class server {
 public:
  explicit server(asked a) : asked_(std::move(a)), unit_(unit_ns) { add_weir(barriers_); }

  void serve() {
    answer_all({{"sample", [&](const std::string& id) { return sample(id); }},
                {"drop", [&](const std::string& id) -> nlohmann::json {
                   return {{"id", id}, {"dropped", in_use_.erase(id) > 0}};
                 }}});
  }

 private:
  static constexpr double unit_ns = 1000;

  struct chosen {
    delay work;
    std::unique_ptr<subject> what;
    std::unique_ptr<members_of_team> team;
    std::uint64_t inner = 0;
  };

  nlohmann::json sample(const std::string& id) {
    for (const bool user_level : {true, false}) {
      const std::string kind = user_level ? "user" : "kernel";
      if (id == "switch:" + kind) return as_answer(id, 1, switch_between(user_level, asked_.processors[0]));
      if (id == "quantum:" + kind) return as_answer(id, 1, quantum_of(user_level, asked_.processors[0]));
    }
    chosen& c = chosen_for(id);
    return as_answer(id, c.team->measure(*c.what, c.inner, c.work));
  }

  chosen& chosen_for(const std::string& id) {
    if (const auto known = in_use_.find(id); known != in_use_.end()) return known->second;
    const program p = parse_program(id);
    if (p.processors > asked_.processors.size())
      throw std::invalid_argument("there are not so many processors: " + std::to_string(p.processors));
    std::vector<int> processors(asked_.processors.begin(), asked_.processors.begin() + p.processors);
    const delay work = unit_.times(p.compute_ns / unit_ns);
    auto what = make_program(p, processors, barriers_, work);
    auto team = team_of(p.user_level, {p.all_members(), std::move(processors), /*pinned=*/true});
    const std::uint64_t inner = p.applications == 1
                                    ? team->pilot(*what, asked_.sample_ms * 1e6, asked_.limit_ms * 1e6, work)
                                    : pilot_of_several(*team, *what, work);
    return in_use_.emplace(id, chosen{work, std::move(what), std::move(team), inner}).first->second;
  }

  /// Members of several applications do not meet, so no member can tell all others to go on or to end.
  std::uint64_t pilot_of_several(members_of_team& team, subject& what, const delay& work) const {
    const double wanted_ns = std::min(asked_.sample_ms, asked_.limit_ms) * 1e6, most_ns = asked_.limit_ms * 1e6;
    double fastest_ns = most_ns;  // of one episode: another program can only make it slower
    for (std::uint64_t n = 4;; n *= 2) {
      const double episode_ns = team.measure(what, n, work).episode_ns, lasted_ns = episode_ns * static_cast<double>(n);
      fastest_ns = std::min(fastest_ns, episode_ns);
      if (fastest_ns * static_cast<double>(n) >= wanted_ns / 2 || lasted_ns >= most_ns) break;
    }
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted_ns / fastest_ns));
  }

  const asked asked_;
  const delay unit_;  // other times of computing are multiples of it
  catalogue barriers_;
  std::map<std::string, chosen> in_use_;
};

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  try {
    if (count > 1 && std::string(words[1]) == "--help") {
      std::cout << "weir-measure-threads" << bench::usage_of_threads << '\n';
      return 0;
    }
    if (count < 2 || std::string(words[1]) != "serve")
      throw std::invalid_argument(std::string("what to do?") + bench::usage_of_threads);
    bench::server(bench::parse_words({words + 1, words + count})).serve();
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "weir-measure-threads: " << e.what() << '\n';
    return 2;
  }
}
