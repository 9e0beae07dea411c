#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "openmp/settings/binding.hpp"

namespace weir::openmp {

namespace {

using arrangement = kmp_affinity::arrangement;

// Words of KMP_AFFINITY that ask for what the runtime does anyway.
bool is_default(const std::string& word) { return word == "respect"; }

bool take_modifier(const std::string& word, kmp_affinity& result) {
  if (word == "verbose" || word == "noverbose")
    result.verbose = word == "verbose";
  else if (word == "warnings" || word == "nowarnings")
    result.warnings = word == "warnings";
  else if (word == "reset" || word == "noreset")
    result.resets = word == "reset";
  else if (word == "norespect")
    result.unsupported.push_back(word);
  else
    return is_default(word);
  return true;
}

bool take_type(const std::string& word, kmp_affinity& result) {
  static constexpr std::pair<const char*, arrangement> types[] = {
      {"none", arrangement::none},         {"disabled", arrangement::none},     {"compact", arrangement::compact},
      {"scatter", arrangement::scatter},   {"balanced", arrangement::balanced}, {"explicit", arrangement::explicit_}};
  if (word == "logical" || word == "physical") {
    result.unsupported.push_back(word);
    return true;
  }
  const auto type = std::ranges::find(types, word, &std::pair<const char*, arrangement>::first);
  if (type == std::end(types)) return false;
  result.type = type->second;
  return true;
}

bool take_granularity(const std::string& word, kmp_affinity& result) {
  static constexpr std::pair<const char*, const char*> words[] = {
      {"fine", "threads"},   {"thread", "threads"},      {"core", "cores"},
      {"socket", "sockets"}, {"ll_cache", "ll_caches"},  {"numa_domain", "numa_domains"}};
  if (word.empty()) return false;
  if (const auto known = std::ranges::find(words, word, &std::pair<const char*, const char*>::first); known != std::end(words))
    result.granularity = known->second;
  else
    result.unsupported.push_back("granularity=" + word);
  return true;
}

// The processors sorted by their levels: socket, core, thread. The innermost `permute` levels become the most significant
// ones, from inside to outside: 0 puts neighbours together, 2 puts them as far apart as possible.
std::vector<location> ordered(std::vector<location> locations, int permute) {
  std::map<int, std::map<int, int>> cores;  // of each socket, with their numbers in it
  for (const auto& where : locations) {
    auto& of_socket = cores[where.socket];
    of_socket.try_emplace(where.core, static_cast<int>(of_socket.size()));
  }
  const auto key = [&](const location& where) {
    const int core = cores[where.socket][where.core];
    if (permute <= 0) return std::array{where.socket, core, where.thread};
    if (permute == 1) return std::array{where.thread, where.socket, core};
    return std::array{where.thread, core, where.socket};
  };
  std::stable_sort(locations.begin(), locations.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return locations;
}

// A place for each processor: its group by the granularity, such as its core.
std::vector<place> widened(const std::vector<location>& order, const std::vector<place>& groups) {
  std::vector<place> places;
  for (const auto& where : order)
    for (const auto& group : groups)
      if (std::binary_search(group.begin(), group.end(), where.processor)) places.push_back(group);
  return places;
}

}  // namespace

std::optional<kmp_affinity> parse_kmp_affinity(std::string_view text) {
  kmp_affinity result;
  scanner in(text);
  std::vector<int> numbers;
  bool typed = false;
  do {
    if (const auto number = in.integer_from(0)) {
      numbers.push_back(*number);
      continue;
    }
    const std::string word = in.word();
    if (word == "granularity") {
      if (!in.take('=') || !take_granularity(in.word(), result)) return std::nullopt;
    } else if (word == "proclist") {
      if (!in.take('=') || !in.take('[')) return std::nullopt;
      const auto list = in.until(']');
      if (!list) return std::nullopt;
      result.proclist = *list;
    } else if (!take_modifier(word, result)) {
      if (!take_type(word, result)) return std::nullopt;
      typed = true;
    }
  } while (in.take(','));
  if (!typed && !result.proclist.empty()) result.type = arrangement::explicit_;
  const bool explicitly = result.type == arrangement::explicit_;
  if (!in.done() || numbers.size() > 2 || explicitly != !result.proclist.empty()) return std::nullopt;
  if (!numbers.empty()) result.permute = numbers[0];
  if (numbers.size() == 2) result.offset = numbers[1];
  return result;
}

std::optional<place_list> places_of(const kmp_affinity& wanted, const machine_view& machine) {
  if (wanted.type == arrangement::none) return place_list{};
  if (wanted.type == arrangement::explicit_) return parse_proclist(wanted.proclist, machine);
  const auto locations = locations_of(machine);
  place_list result{places_named(wanted.granularity, locations), {}};
  if (wanted.type == arrangement::compact) result.places = widened(ordered(locations, wanted.permute), result.places);
  if (wanted.type == arrangement::scatter)
    result.places = widened(ordered(locations, 2 - wanted.permute), result.places);
  if (!result.places.empty()) {
    const auto offset = static_cast<std::size_t>(wanted.offset) % result.places.size();
    std::rotate(result.places.begin(), result.places.begin() + static_cast<std::ptrdiff_t>(offset), result.places.end());
  }
  return result;
}

}  // namespace weir::openmp
