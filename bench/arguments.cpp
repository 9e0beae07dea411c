#include "arguments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <weir/machine/processors.hpp>
#include <weir/team.hpp>

#include "number.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "\nusage: list"
    "\n       serve --members N [--processors A,B,..] [--delay-ns D] [--unpinned] [--sample-ms M] [--limit-ms L]"
    "\n       busy --processor N";

double number(const std::string& option, const std::string& text) {
  const std::optional<double> value = number_in(text);
  if (!value || *value < 0)
    throw std::invalid_argument(option + " takes a number that is not negative, not \"" + text + "\"");
  return *value;
}

unsigned whole_number(const std::string& option, const std::string& text) {
  const double value = number(option, text);
  if (value != std::floor(value) || value > std::numeric_limits<int>::max())
    throw std::invalid_argument(option + " takes a whole number, not \"" + text + "\"");
  return static_cast<unsigned>(value);
}

int processor(const std::string& option, const std::string& text) {
  const int p = static_cast<int>(whole_number(option, text));
  const auto& usable = weir::affinity();
  if (std::find(usable.begin(), usable.end(), p) == usable.end())
    throw std::invalid_argument(option + ": processor " + text + " is not in this process's affinity mask");
  return p;
}

}  // namespace

arguments parse(const std::vector<std::string>& words) {
  arguments a;
  if (words.empty()) throw std::invalid_argument(std::string("what to do?") + usage);
  a.verb = words[0];
  if (a.verb != "list" && a.verb != "serve" && a.verb != "busy")
    throw std::invalid_argument("unknown command \"" + a.verb + "\"" + usage);
  a.serve.team = {0, weir::affinity(), true};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& option = words[i];
    if (option == "--unpinned") {
      a.serve.team.pinned = false;
      continue;
    }
    if (i + 1 == words.size()) throw std::invalid_argument(option + " needs a value" + usage);
    const std::string& value = words[++i];
    if (option == "--members") {
      const unsigned members = whole_number(option, value);
      if (members < 1 || members > weir::max_members)
        throw std::invalid_argument("--members takes 1 to " + std::to_string(weir::max_members) + ", not " + value);
      a.serve.team.members = members;
    } else if (option == "--processors") {
      a.serve.team.processors.clear();
      std::istringstream list(value);
      for (std::string word; std::getline(list, word, ',');) {
        const int p = processor(option, word);
        const auto& named = a.serve.team.processors;
        if (std::find(named.begin(), named.end(), p) != named.end())
          throw std::invalid_argument(option + " names processor " + word + " twice");
        a.serve.team.processors.push_back(p);
      }
      if (a.serve.team.processors.empty()) throw std::invalid_argument("--processors names no processor");
    } else if (option == "--processor") {
      a.processor = processor(option, value);
    } else if (option == "--delay-ns") {
      a.serve.delay_ns = number(option, value);
    } else if (option == "--sample-ms") {
      a.serve.sample_ms = number(option, value);
    } else if (option == "--limit-ms") {
      a.serve.limit_ms = number(option, value);
    } else {
      throw std::invalid_argument("unknown option " + option + usage);
    }
  }
  if (a.verb == "serve" && a.serve.team.members == 0)
    throw std::invalid_argument(std::string("serve needs --members") + usage);
  if (a.verb == "busy" && a.processor < 0)
    throw std::invalid_argument(std::string("busy needs --processor") + usage);
  return a;
}

}  // namespace bench
