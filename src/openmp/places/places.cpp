// The grammar of explicit places [OpenMP 5.2, 21.1.6]:
//   list      : interval {, interval}
//   interval  : place [: count [: stride]]  |  ! place
//   place     : { resources }  |  number
//   resources : number [: count [: stride]]  |  ! number, separated by commas
#include "openmp/places/places.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "openmp/support/scanner.hpp"

namespace weir::openmp {

namespace {

// `{0:1000000}:1000000` is well-formed, so the number of processors in a list is limited.
constexpr std::size_t most_processors = std::size_t{1} << 20;

using wide_place = std::set<long long>;  // a stride may lead anywhere, before `!` and the affinity mask are applied

struct repetition {
  int count = 1, stride = 1;
};

std::optional<repetition> read_repetition(scanner& in) {
  repetition result;
  if (!in.take(':')) return result;
  const auto count = in.integer_from(1);
  if (!count) return std::nullopt;
  result.count = *count;
  if (in.take(':')) {
    const auto stride = in.integer();
    if (!stride) return std::nullopt;
    result.stride = *stride;
  }
  return result;
}

class place_reader {
 public:
  explicit place_reader(std::string_view text) : in_(text) {}

  std::optional<std::vector<wide_place>> list() {
    std::vector<wide_place> places;
    do {
      if (!interval(places)) return std::nullopt;
    } while (in_.take(','));
    return in_.done() ? std::optional(places) : std::nullopt;
  }

 private:
  bool interval(std::vector<wide_place>& places) {
    const bool excluded = in_.take('!');
    const auto first = one();
    if (!first) return false;
    if (excluded) {
      std::erase(places, *first);
      return true;
    }
    const auto times = read_repetition(in_);
    if (!times || !room_for(first->size(), times->count)) return false;
    for (long long i = 0; i < times->count; ++i) {
      wide_place shifted;
      for (const long long p : *first) shifted.insert(p + i * times->stride);
      places.push_back(std::move(shifted));
    }
    return true;
  }

  std::optional<wide_place> one() {
    wide_place processors;
    if (!in_.take('{')) {
      const auto number = in_.integer_from(0);
      if (!number) return std::nullopt;
      return wide_place{*number};
    }
    do {
      if (!resources(processors)) return std::nullopt;
    } while (in_.take(','));
    if (!in_.take('}') || processors.empty()) return std::nullopt;
    return processors;
  }

  bool resources(wide_place& processors) {
    const bool excluded = in_.take('!');
    const auto first = in_.integer_from(0);
    if (!first) return false;
    if (excluded) {
      processors.erase(*first);
      return true;
    }
    const auto times = read_repetition(in_);
    if (!times || !room_for(1, times->count)) return false;
    for (long long i = 0; i < times->count; ++i) processors.insert(*first + i * times->stride);
    return true;
  }

  bool room_for(std::size_t processors, int count) {
    total_ += processors * static_cast<std::size_t>(count);
    return total_ <= most_processors;
  }

  scanner in_;
  std::size_t total_ = 0;
};

place_list within_mask(const std::vector<wide_place>& wanted, const machine_view& machine) {
  place_list result;
  std::set<int> missing;
  for (const auto& processors : wanted) {
    place kept;
    for (const long long p : processors) {
      const int number = static_cast<int>(std::clamp<long long>(p, -1, std::numeric_limits<int>::max()));
      if (std::binary_search(machine.processors.begin(), machine.processors.end(), number))
        kept.push_back(number);
      else
        missing.insert(number);
    }
    if (!kept.empty()) result.places.push_back(std::move(kept));
  }
  result.missing.assign(missing.begin(), missing.end());
  return result;
}

// `cores` or `cores(4)`. A count larger than the machine's is no error: the specification leaves it to the implementation.
std::optional<place_list> parse_place_name(std::string_view text, const machine_view& machine) {
  scanner in(text);
  const std::string word = in.word();
  int count = std::numeric_limits<int>::max();
  if (in.take('(')) {
    const auto given = in.integer_from(1);
    if (!given || !in.take(')')) return std::nullopt;
    count = *given;
  }
  if (!in.done()) return std::nullopt;
  place_list result{places_named(word, locations_of(machine)), {}};
  if (result.places.empty()) return std::nullopt;
  if (static_cast<std::size_t>(count) < result.places.size()) result.places.resize(static_cast<std::size_t>(count));
  return result;
}

// A number, or a range with a stride: `4`, `4-15`, `4-15:2`. Each processor is a place.
bool read_range(scanner& in, std::vector<wide_place>& places) {
  const auto low = in.integer_from(0);
  if (!low) return false;
  int high = *low, stride = 1;
  if (in.take('-')) {
    const auto given = in.integer_from(*low);
    if (!given) return false;
    high = *given;
    if (in.take(':')) {
      const auto step = in.integer_from(1);
      if (!step) return false;
      stride = *step;
    }
  }
  for (long long p = *low; p <= high; p += stride) {
    if (places.size() >= most_processors) return false;
    places.push_back({p});
  }
  return true;
}

bool read_braces(scanner& in, std::vector<wide_place>& places) {
  std::vector<wide_place> single;
  do {
    if (!read_range(in, single)) return false;
  } while (in.take(','));
  wide_place merged;
  for (const auto& p : single) merged.merge(wide_place(p));
  places.push_back(std::move(merged));
  return in.take('}');
}

}  // namespace

std::optional<place_list> parse_places(std::string_view text, const machine_view& machine) {
  if (const std::string first = scanner(text).word(); !first.empty() && (first[0] < '0' || first[0] > '9'))
    return parse_place_name(text, machine);
  const auto wanted = place_reader(text).list();
  return wanted ? std::optional(within_mask(*wanted, machine)) : std::nullopt;
}

std::optional<place_list> parse_processor_list(std::string_view text, const machine_view& machine) {
  scanner in(text);
  std::vector<wide_place> places;
  do {
    if (!read_range(in, places)) return std::nullopt;
  } while (in.take(',') || !in.done());
  return within_mask(places, machine);
}

std::optional<place_list> parse_proclist(std::string_view text, const machine_view& machine) {
  scanner in(text);
  std::vector<wide_place> places;
  do {
    if (!(in.take('{') ? read_braces(in, places) : read_range(in, places))) return std::nullopt;
  } while (in.take(','));
  return in.done() ? std::optional(within_mask(places, machine)) : std::nullopt;
}

std::vector<place> places_named(const std::string& word, const std::vector<location>& locations) {
  using named_group = std::pair<const char*, int location::*>;
  static constexpr named_group groups[] = {{"threads", &location::processor},
                                           {"cores", &location::core},
                                           {"sockets", &location::socket},
                                           {"ll_caches", &location::ll_cache},
                                           {"numa_domains", &location::numa_domain}};
  const auto group = std::ranges::find(groups, word, &named_group::first);
  if (group == std::end(groups)) return {};
  std::vector<place> places;
  std::map<int, std::size_t> place_of;
  for (const auto& where : locations) {
    const auto [found, fresh] = place_of.try_emplace(where.*group->second, places.size());
    if (fresh) places.emplace_back();
    places[found->second].push_back(where.processor);
  }
  for (auto& p : places) std::sort(p.begin(), p.end());
  return places;
}

std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = ++last) {
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (first == 0 ? "" : ",") + std::to_string(numbers[first]);
    if (last > first) text += "-" + std::to_string(numbers[last]);
  }
  return text;
}

}  // namespace weir::openmp
