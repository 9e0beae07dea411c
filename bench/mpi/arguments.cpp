#include "arguments.hpp"

#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "../number.hpp"

namespace bench::mpi {

const char* const usage =
    "\nusage, under an MPI's launcher: --subjects A,B,.. [--threads T] [--method round-time|consecutive|both]"
    "\n       [--level funneled|serialized|multiple] [--samples N] [--sample-ms M] [--series-ms M] [--seed S] [-o FILE]"
    "\n       [--pretend-skew NS] [--pretend-drift FRACTION]   for tests: rank r's clock is off by r times as much";

namespace {

constexpr double most_ms = 3'600'000;

std::vector<std::string> list(const std::string& option, const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text + ',');
  for (std::string word; std::getline(in, word, ',');) {
    if (word.empty()) throw std::invalid_argument(option + " takes names separated by commas, not \"" + text + '"');
    words.push_back(word);
  }
  return words;
}

}  // namespace

arguments parse(const std::vector<std::string>& words) {
  arguments a;
  const std::map<std::string, std::function<void(const std::string&, const std::string&)>> options = {
      {"--threads", [&](auto& o, auto& v) { a.threads = whole_number_in(o, v, 1, 1024); }},
      {"--subjects", [&](auto& o, auto& v) { a.subjects = list(o, v); }},
      {"--samples", [&](auto& o, auto& v) { a.samples = whole_number_in(o, v, 1, 1'000'000); }},
      {"--seed", [&](auto& o, auto& v) { a.seed = whole_number_in(o, v, 1, 1'000'000); }},
      {"--sample-ms", [&](auto& o, auto& v) { a.sample_ms = number_in(o, v, 0.001, most_ms); }},
      {"--series-ms", [&](auto& o, auto& v) { a.series_ms = number_in(o, v, 1, most_ms); }},
      {"-o", [&](auto&, auto& v) { a.output = v; }},
      {"--pretend-skew", [&](auto& o, auto& v) { a.pretended.skew_ns = number_in(o, v, -1e18, 1e18); }},
      {"--pretend-drift", [&](auto& o, auto& v) { a.pretended.drift = number_in(o, v, -0.01, 0.01); }},
      {"--level",
       [&](auto& o, auto& v) {
         if (v != "funneled" && v != "serialized" && v != "multiple")
           throw std::invalid_argument(o + " takes funneled, serialized or multiple, not \"" + v + "\"");
         a.level = v;
       }},
      {"--method",
       [&](auto& o, auto& v) {
         if (v != "round-time" && v != "consecutive" && v != "both")
           throw std::invalid_argument(o + " takes round-time, consecutive or both, not \"" + v + "\"");
         a.methods = v == "both" ? std::vector<std::string>{"round-time", "consecutive"} : std::vector<std::string>{v};
       }},
  };
  if (words == std::vector<std::string>{"--help"}) {
    a.help = true;
    return a;
  }
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto option = options.find(words[i]);
    if (option == options.end()) throw std::invalid_argument("unknown option \"" + words[i] + "\"" + usage);
    if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " needs a value" + usage);
    option->second(words[i], words[i + 1]);
  }
  if (a.subjects.empty()) throw std::invalid_argument(std::string("--subjects names nothing") + usage);
  return a;
}

}  // namespace bench::mpi
