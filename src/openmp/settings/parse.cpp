#include "openmp/settings/parse.hpp"

#include <cstdint>

#include "system/boolean_words.hpp"

namespace weir::openmp {

namespace {

template <class Value>
std::optional<Value> whole(scanner& in, std::optional<Value> value) {
  return in.done() ? value : std::nullopt;
}

std::optional<unsigned long long> product(unsigned long long a, unsigned long long b) {
  unsigned long long result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::size_t> parse_size(std::string_view text, char unit) {
  scanner in(text);
  const auto count = in.natural();
  const std::string given = in.done() ? std::string(1, unit) : in.word();
  if (!count || *count == 0 || given.size() != 1 || !in.done()) return std::nullopt;
  const auto power = std::string_view("bkmgt").find(given[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const auto bytes = product(*count, 1ull << (10 * power));
  return bytes && *bytes <= PTRDIFF_MAX ? std::optional<std::size_t>(*bytes) : std::nullopt;
}

bool infinite(std::string_view text) {
  const std::string word = lower(trimmed(text));
  return word == "infinite" || word == "infinity";
}

}  // namespace

std::optional<bool> parse_boolean(std::string_view text) { return parse_word<bool>(text, boolean_words); }

std::optional<int> parse_positive(std::string_view text) {
  scanner in(text);
  return whole(in, in.integer_from(1));
}

std::optional<int> parse_natural(std::string_view text) {
  scanner in(text);
  return whole(in, in.integer_from(0));
}

std::optional<std::vector<int>> parse_positives(std::string_view text) {
  scanner in(text);
  std::vector<int> list;
  do {
    const auto value = in.integer_from(1);
    if (!value) return std::nullopt;
    list.push_back(*value);
  } while (in.take(','));
  return whole(in, std::optional(list));
}

std::optional<std::size_t> parse_size_in_kilobytes(std::string_view text) { return parse_size(text, 'k'); }
std::optional<std::size_t> parse_size_in_bytes(std::string_view text) { return parse_size(text, 'b'); }

std::optional<unsigned long long> parse_spins(std::string_view text) {
  if (infinite(text)) return spin_forever;
  scanner in(text);
  const auto count = in.natural();
  if (!count || in.done()) return count;
  const std::string unit = in.word();
  if (!in.done()) return std::nullopt;
  if (unit == "k") return product(*count, 1'000);
  if (unit == "m") return product(*count, 1'000'000);
  if (unit == "g") return product(*count, 1'000'000'000);
  if (unit == "t") return product(*count, 1'000'000'000'000);
  return std::nullopt;
}

std::optional<int> parse_blocktime(std::string_view text) {
  if (infinite(text)) return block_never;
  scanner in(text);
  const auto time = in.integer_from(0);
  if (!time || in.done()) return time;
  const std::string unit = in.word();
  if (!in.done()) return std::nullopt;
  if (unit == "ms") return time;
  if (unit == "us") return *time / 1000 + (*time % 1000 != 0);
  return std::nullopt;
}

std::optional<schedule> parse_schedule(std::string_view text) {
  scanner in(text);
  schedule result;
  std::string word = in.word();
  if (in.take(':')) {
    result.monotonic = word == "monotonic";
    result.nonmonotonic = word == "nonmonotonic";
    if (result.monotonic == result.nonmonotonic) return std::nullopt;
    word = in.word();
  }
  const auto kind = parse_word<schedule_kind>(word, {{"static", schedule_kind::static_},
                                                     {"dynamic", schedule_kind::dynamic},
                                                     {"static_steal", schedule_kind::dynamic},  // of LLVM's runtime
                                                     {"guided", schedule_kind::guided},
                                                     {"auto", schedule_kind::auto_},
                                                     {"trapezoidal", schedule_kind::trapezoidal}});
  if (!kind) return std::nullopt;
  result.kind = *kind;
  if (in.take(',')) {
    const auto chunk = in.integer_from(1);
    if (!chunk) return std::nullopt;
    result.chunk = result.kind == schedule_kind::auto_ ? 0 : *chunk;
  }
  return whole(in, std::optional(result));
}

std::optional<std::vector<bind>> parse_binds(std::string_view text) {
  if (const auto bound = parse_boolean(text)) return std::vector{*bound ? bind::true_ : bind::false_};
  scanner in(text);
  std::vector<bind> list;
  do {
    const auto level = parse_word<bind>(in.word(), {{"primary", bind::primary}, {"master", bind::primary},
                                                    {"close", bind::close}, {"spread", bind::spread}});
    if (!level) return std::nullopt;
    list.push_back(*level);
  } while (in.take(','));
  return whole(in, std::optional(list));
}

}  // namespace weir::openmp
