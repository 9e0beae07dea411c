// A profile's text, and what it says about a team. A file may hold anything: every line is checked.
#include <weir/profile.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>

#include <weir/barriers/plans.hpp>
#include <weir/team_barrier.hpp>

#include "../system/system_files.hpp"

namespace weir {

namespace {

using words = std::vector<std::string_view>;

constexpr std::uint64_t longest_ns = 1'000'000'000'000'000;  // ten days
constexpr std::size_t longest_signature = 200;

struct line {
  std::size_t number;
  words of;

  // The text itself may hold what no terminal should see.
  [[noreturn]] void expected(const std::string& what) const { refuse("expected " + what); }
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument("line " + std::to_string(number) + ": " + why);
  }
};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number n{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, n);
  return error == std::errc() && rest == end ? std::optional(n) : std::nullopt;
}

unsigned count(const line& l, std::string_view word, unsigned least, const char* what) {
  const auto n = number_in<unsigned>(word);
  if (!n || *n < least || *n > max_members)
    l.expected(std::string(what) + " from " + std::to_string(least) + " to " + std::to_string(max_members));
  return *n;
}

// 812 or 812.5. from_chars() of a double would bring the mathematical library into every program that the runtime is loaded into.
double nanoseconds(const line& l, std::string_view word) {
  const auto point = std::min(word.find('.'), word.size());
  const std::string_view after = word.substr(std::min(point + 1, word.size()));
  const auto whole = number_in<std::uint64_t>(word.substr(0, point));
  const auto tenths = point == word.size() ? std::optional<std::uint64_t>(0) : number_in<std::uint64_t>(after);
  if (!whole || *whole > longest_ns || !tenths || after.size() > 1) l.expected("a time in nanoseconds, as 812.5");
  return static_cast<double>(*whole) + static_cast<double>(*tenths) / 10;
}

bool bound(const line& l, std::string_view word) {
  if (word != "bound" && word != "unbound") l.expected("bound or unbound");
  return word == "bound";
}

std::string date(const line& l, std::string_view word) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  constexpr std::string_view form = "dddd-dd-dd";
  if (!std::ranges::equal(word, form, [&](char c, char f) { return f == 'd' ? digit(c) : c == f; }))
    l.expected("a date, as in 2026-11-25");
  return std::string(word);
}

std::string barrier(const line& l, std::string_view word, bool of_bound) {
  for (const algorithm& a : algorithms())
    if (a.name == word && (of_bound || !a.placed)) return a.name;
  l.expected(std::string("a barrier that this Weir has for teams that are ") + (of_bound ? "bound" : "not bound"));
}

plans::levels_shape levels(const line& l, std::string_view name) {
  try {
    return plans::levels_called(name);
  } catch (const std::invalid_argument& wrong) {
    l.refuse(wrong.what());
  }
}

// It is made, and proven, when a team needs it.
std::string plan_by_levels(const line& l, std::string_view name, unsigned members) {
  const auto levels_read = levels(l, name).levels;
  if (members > plans::most_by_levels)
    l.expected("a plan by levels for at most " + std::to_string(plans::most_by_levels) + " threads");
  if (levels_read.size() > 1 && levels_read.rbegin()[1].size >= members) l.expected("groups that are smaller than the team");
  return std::string(name);
}

std::string joined(const line& l, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < l.of.size(); ++i) text += (text.empty() ? "" : " ") + std::string(l.of[i]);
  const auto fits = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == ' '; };
  if (text.empty() || text.size() > longest_signature || !std::ranges::all_of(text, fits))
    l.expected("a machine's signature, as in: machine 128 processors in 16 groups");
  return text;
}

std::vector<unsigned> sizes(const line& l) {
  std::vector<unsigned> numbers;
  for (std::size_t i = 2; i < l.of.size(); ++i) {
    numbers.push_back(count(l, l.of[i], 2, "a number of threads"));
    if (numbers.size() > 1 && numbers.back() <= numbers[numbers.size() - 2]) l.expected("numbers that ascend");
  }
  return numbers;
}

machine_profile::finding finding(const line& l) {
  if (l.of.size() != 7) l.expected("barrier bound|unbound THREADS NAME NS USUAL NS");
  const bool is_bound = bound(l, l.of[1]);
  const unsigned members = count(l, l.of[2], 2, "a number of threads");
  const bool by_levels = is_bound && plans::names_levels(l.of[3]);  // it takes neighbours for near each other
  return {.members = members,
          .bound = is_bound,
          .barrier = by_levels ? plan_by_levels(l, l.of[3], members) : barrier(l, l.of[3], is_bound),
          .usual = barrier(l, l.of[5], true),
          .ns = nanoseconds(l, l.of[4]),
          .usual_ns = nanoseconds(l, l.of[6])};
}

// A line of a section.
void read(const line& l, machine_profile& profile) {
  const std::string_view key = l.of[0];
  if (key == "processors" && l.of.size() == 2) {
    profile.processors = count(l, l.of[1], 1, "a number of processors");
  } else if ((key == "measured" || key == "simulated") && l.of.size() == 2) {
    profile.simulated = key == "simulated";
    profile.date = date(l, l.of[1]);
  } else if (key == "sizes" && l.of.size() >= 2) {
    profile.sizes[bound(l, l.of[1])] = sizes(l);
  } else if (key == "barrier") {
    profile.findings.push_back(finding(l));
    const auto& last = profile.findings.back();
    for (const auto& f : std::span(profile.findings).first(profile.findings.size() - 1))
      if (f.members == last.members && f.bound == last.bound) l.expected("one barrier for a size");
    if (!std::ranges::binary_search(profile.sizes[last.bound], last.members)) l.expected("a size of those that were tried");
  } else {
    l.expected("machine, processors, measured, simulated, sizes, barrier or end");
  }
}

void require_whole(const line& l, const std::vector<machine_profile>& machines) {
  if (machines.empty()) return;
  if (machines.back().processors == 0) l.expected("the machine's processors before this line");
  if (machines.back().date.empty()) l.expected("the day of measuring before this line");
}

}  // namespace

std::vector<machine_profile> parsed_profile(std::string_view text) {
  std::vector<machine_profile> machines;
  line l{0, {}};
  bool begun = false, ended = false;
  for (std::string_view whole : split(text, '\n')) {
    ++l.number;
    if (whole.empty() || whole.front() == '#') continue;
    l.of.clear();
    for (const std::string_view word : split(whole, ' '))
      if (!word.empty()) l.of.push_back(word);
    if (l.of.empty()) continue;
    if (!begun) {
      if (l.of.size() != 3 || l.of[0] != "weir" || l.of[1] != "profile") l.expected("weir profile 1: this is no profile");
      // The second may name plans by levels.
      if (l.of[2] != "1" && l.of[2] != "2") l.expected("version 1 or 2, which this Weir reads");
      begun = true;
    } else if (ended) {
      l.expected("nothing after the end");
    } else if (l.of[0] == "machine") {
      require_whole(l, machines);
      machine_profile& profile = machines.emplace_back();
      profile.signature = joined(l, 1);
      for (const auto& other : std::span(machines).first(machines.size() - 1))
        if (other.signature == profile.signature) l.expected("each machine once");
    } else if (l.of[0] == "end" && l.of.size() == 1) {
      require_whole(l, machines);
      ended = true;
    } else {
      if (machines.empty()) l.expected("a machine's signature first");
      read(l, machines.back());
    }
  }
  ++l.number;
  if (!begun) l.expected("weir profile 1: this is no profile");
  if (!ended) l.expected("end: the file is cut off");
  return machines;
}

const machine_profile::finding* found_in(const machine_profile& known, unsigned members, bool bound) {
  const auto of = [&](unsigned size) {
    const auto found = std::ranges::find_if(known.findings, [&](const auto& f) { return f.members == size && f.bound == bound; });
    return found == known.findings.end() ? nullptr : &*found;
  };
  const std::vector<unsigned>& tried = known.sizes[bound];
  const auto next = std::ranges::lower_bound(tried, members);
  if (next == tried.end() || *next == members || next == tried.begin()) return of(members);
  const unsigned above = *next, below = *std::prev(next);
  const auto* const larger = of(above);
  const auto* const smaller = of(below);
  const bool like_each_other = (below > known.processors) == (above > known.processors);
  return larger != nullptr && smaller != nullptr && larger->barrier == smaller->barrier && like_each_other ? smaller : nullptr;
}

bool is_like_those_tried(const team& t, const machine_profile& known, std::span<const int> processors) {
  if (!t.kernel_threads || t.processors != known.processors || processors.size() != known.processors) return false;
  if (t.usable < t.processors) return false;
  for (std::size_t i = 0; t.placed() && i < processors.size(); ++i) {
    const auto here = static_cast<std::size_t>(std::ranges::count(t.placement, processors[i]));
    if (here != (t.members + processors.size() - 1 - i) / processors.size()) return false;
  }
  return true;
}

}  // namespace weir
