#include "arguments.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "../number.hpp"

namespace bench::mpi {

namespace {

constexpr const char* usage =
    "\nusage, under an MPI's launcher: --subjects A,B,.. [--threads T] [--method round-time|consecutive|both]"
    "\n       [--level funneled|serialized|multiple] [--samples N] [--sample-ms M] [--series-ms M] [--seed S] [-o FILE]"
    "\n       [--pretend-skew NS] [--pretend-drift FRACTION]   for tests: rank r's clock is r times so far off";

double number(const std::string& option, const std::string& text, double least) {
  const std::optional<double> value = bench::number_in(text);
  if (!value || *value < least)
    throw std::invalid_argument(option + " takes a number from " + std::to_string(least) + " on, not \"" + text + "\"");
  return *value;
}

unsigned count(const std::string& option, const std::string& text) {
  const double value = number(option, text, 1);
  if (value != std::floor(value) || value > 1e6)
    throw std::invalid_argument(option + " takes a whole number from 1 to 1000000, not \"" + text + "\"");
  return static_cast<unsigned>(value);
}

std::vector<std::string> list(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');)
    if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

arguments parse(const std::vector<std::string>& words) {
  arguments a;
  const std::map<std::string, std::function<void(const std::string&, const std::string&)>> options = {
      {"--threads", [&](auto& o, auto& v) { a.threads = count(o, v); }},
      {"--subjects", [&](auto&, auto& v) { a.subjects = list(v); }},
      {"--samples", [&](auto& o, auto& v) { a.samples = count(o, v); }},
      {"--seed", [&](auto& o, auto& v) { a.seed = count(o, v); }},
      {"--sample-ms", [&](auto& o, auto& v) { a.sample_ms = number(o, v, 0.001); }},
      {"--series-ms", [&](auto& o, auto& v) { a.series_ms = number(o, v, 1); }},
      {"-o", [&](auto&, auto& v) { a.output = v; }},
      {"--pretend-skew", [&](auto& o, auto& v) { a.pretended.skew_ns = number(o, v, -1e18); }},
      {"--pretend-drift", [&](auto& o, auto& v) { a.pretended.drift = number(o, v, -0.01); }},
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
