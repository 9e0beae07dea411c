#include "openmp/places/affinity_format.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace weir::openmp {

namespace {

struct value {
  std::string text;
  bool number;
};

value of(long number) { return {std::to_string(number), true}; }
value of(const std::string& text) { return {text, false}; }

struct field {
  char letter;
  std::string_view name;
  value (*in)(const affinity_facts&);
};

constexpr field fields[] = {
    {'t', "team_num", [](const affinity_facts& f) { return of(f.team); }},
    {'T', "num_teams", [](const affinity_facts& f) { return of(f.teams); }},
    {'L', "nesting_level", [](const affinity_facts& f) { return of(f.level); }},
    {'n', "thread_num", [](const affinity_facts& f) { return of(f.thread); }},
    {'N', "num_threads", [](const affinity_facts& f) { return of(f.threads); }},
    {'a', "ancestor_tnum", [](const affinity_facts& f) { return of(f.ancestor); }},
    {'H', "host", [](const affinity_facts& f) { return of(f.host_name); }},
    {'P', "process_id", [](const affinity_facts& f) { return of(f.process); }},
    {'i', "native_thread_id", [](const affinity_facts& f) { return of(f.native_thread); }},
    {'A', "thread_affinity", [](const affinity_facts& f) { return of(f.processors); }},
};

/// Consumes the type of a field, and returns the value that it stands for.
value take_type(std::string_view& rest, const affinity_facts& facts) {
  const field* found = std::end(fields);
  if (rest.starts_with('{') && rest.find('}') != rest.npos) {
    const std::string_view name = rest.substr(1, rest.find('}') - 1);
    found = std::ranges::find(fields, name, &field::name);
    rest.remove_prefix(name.size() + 2);
  } else if (!rest.empty()) {
    found = std::ranges::find(fields, rest.front(), &field::letter);
    rest.remove_prefix(1);
  }
  return found != std::end(fields) ? found->in(facts) : of("undefined");
}

bool take(std::string_view& rest, std::string_view what) {
  if (!rest.starts_with(what)) return false;
  rest.remove_prefix(what.size());
  return true;
}

std::string take_field(std::string_view& rest, const affinity_facts& facts) {
  const bool zeros = take(rest, "0."), right = zeros || take(rest, ".");
  std::size_t width = 0;
  for (; !rest.empty() && std::isdigit(static_cast<unsigned char>(rest.front())); rest.remove_prefix(1))
    width = std::min<std::size_t>(width * 10 + static_cast<std::size_t>(rest.front() - '0'), 4096);
  auto [text, number] = take_type(rest, facts);
  const std::size_t missing = width > text.size() ? width - text.size() : 0;
  if (!right) return text + std::string(missing, ' ');
  if (!zeros || !number) return std::string(missing, ' ') + text;
  return text.insert(text.starts_with('-') ? 1 : 0, missing, '0');
}

}  // namespace

std::string in_format(std::string_view format, const affinity_facts& facts) {
  std::string text;
  for (std::string_view rest = format; !rest.empty();) {
    const std::size_t plain = std::min(rest.find('%'), rest.size());
    text += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (take(rest, "%%"))
      text += '%';
    else if (take(rest, "%"))
      text += take_field(rest, facts);
  }
  return text;
}

}  // namespace weir::openmp
