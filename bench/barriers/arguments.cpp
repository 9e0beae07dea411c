#include "arguments.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <weir/barriers/plans.hpp>
#include <weir/machine/processors.hpp>
#include <weir/team.hpp>

#include "../number.hpp"

namespace bench {

const char* const usage =
    "\nusage: list [--mine LIBRARY] [--levels PLAN]"
    "\n       serve --members N [--processors A,B,..] [--delay-ns D] [--unpinned] [--sample-ms M] [--limit-ms L]"
    " [--mine LIBRARY] [--levels PLAN]"
    "\n       check --mine LIBRARY --members N [--processors A,B,..] [--unpinned]"
    "\n       busy --processor N [--within-session]"
    "\n       --help";

namespace {

// The overhead is the difference of two times that both contain the work between barriers. A longer delay varies by more than a
// barrier costs.
constexpr double most_delay_ns = 1e6;
constexpr double least_ms = 0.001, most_ms = 3'600'000;

int processor(const std::string& option, const std::string& text) {
  const int p = static_cast<int>(whole_number_in(option, text, 0, std::numeric_limits<int>::max()));
  const auto& usable = weir::affinity();
  if (std::find(usable.begin(), usable.end(), p) == usable.end())
    throw std::invalid_argument(option + ": processor " + text + " is not in this process's affinity mask");
  return p;
}

std::string levels_in(const std::string& option, const std::string& name) try {
  (void)weir::plans::levels_called(name);
  return name;
} catch (const std::invalid_argument& error) {
  throw std::invalid_argument(option + ": " + error.what());
}

}  // namespace

std::vector<int> processors_in(const std::string& option, const std::string& value) {
  std::vector<int> named;
  std::istringstream list(value);
  for (std::string word; std::getline(list, word, ',');) {
    const int p = processor(option, word);
    if (std::find(named.begin(), named.end(), p) != named.end())
      throw std::invalid_argument(option + " names processor " + word + " twice");
    named.push_back(p);
  }
  if (value.empty() || value.back() == ',')
    throw std::invalid_argument(option + " takes processors with commas between, not \"" + value + '"');
  return named;
}

double sample_time_in(const std::string& option, const std::string& value) {
  return number_in(option, value, least_ms, most_ms);
}

arguments parse(const std::vector<std::string>& words) {
  arguments a;
  if (words.empty()) throw std::invalid_argument(std::string("what to do?") + usage);
  a.verb = words[0];
  if (a.verb == "--help") return a;
  if (a.verb != "list" && a.verb != "serve" && a.verb != "check" && a.verb != "busy")
    throw std::invalid_argument("unknown command \"" + a.verb + "\"" + usage);
  a.serve.team = {0, weir::affinity(), true};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& option = words[i];
    if (option == "--unpinned") {
      a.serve.team.pinned = false;
      continue;
    }
    if (option == "--within-session") {
      a.within_session = true;
      continue;
    }
    if (i + 1 == words.size()) throw std::invalid_argument(option + " needs a value" + usage);
    const std::string& value = words[++i];
    if (option == "--members") {
      a.serve.team.members = whole_number_in(option, value, 1, weir::max_members);
    } else if (option == "--processors") {
      a.serve.team.processors = processors_in(option, value);
    } else if (option == "--processor") {
      a.processor = processor(option, value);
    } else if (option == "--mine") {
      if (value.empty()) throw std::invalid_argument("--mine takes a shared library, not \"\"");
      a.library = value;
    } else if (option == "--levels") {
      a.levels = levels_in(option, value);
    } else if (option == "--delay-ns") {
      a.serve.delay_ns = number_in(option, value, 0, most_delay_ns);
    } else if (option == "--sample-ms") {
      a.serve.sample_ms = sample_time_in(option, value);
    } else if (option == "--limit-ms") {
      a.serve.limit_ms = sample_time_in(option, value);
    } else {
      throw std::invalid_argument("unknown option " + option + usage);
    }
  }
  if ((a.verb == "serve" || a.verb == "check") && a.serve.team.members == 0)
    throw std::invalid_argument(a.verb + " needs --members" + usage);
  if (a.verb == "check" && a.library.empty()) throw std::invalid_argument(std::string("check needs --mine") + usage);
  if (a.verb == "busy" && a.processor < 0)
    throw std::invalid_argument(std::string("busy needs --processor") + usage);
  return a;
}

}  // namespace bench
