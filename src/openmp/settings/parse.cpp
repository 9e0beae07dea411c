#include "openmp/settings/parse.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>

namespace weir::openmp {

namespace {

// The locale of a program must not change what its environment means.
bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool digit(char c) { return c >= '0' && c <= '9'; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char large(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool of_word(char c) { return (small(c) >= 'a' && small(c) <= 'z') || digit(c) || c == '_'; }

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

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), small);
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), large);
  return result;
}

std::string_view scanner::skip_blanks() {
  while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
  return rest_;
}

bool scanner::take(char c) {
  if (!sees(c)) return false;
  rest_.remove_prefix(1);
  return true;
}

std::string scanner::word() {
  skip_blanks();
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), of_word);
  const auto length = static_cast<std::size_t>(end - rest_.begin());
  std::string result = lower(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return result;
}

std::optional<unsigned long long> scanner::natural() {
  skip_blanks();
  unsigned long long value = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc()) return std::nullopt;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return value;
}

std::optional<int> scanner::integer() {
  const bool negative = take('-');
  if (!negative) take('+');
  const auto value = natural();
  if (!value || *value > INT_MAX) return std::nullopt;
  return negative ? -static_cast<int>(*value) : static_cast<int>(*value);
}

std::optional<int> scanner::integer_from(int low) {
  const auto value = integer();
  return value && *value >= low ? value : std::nullopt;
}

std::optional<std::string> scanner::until(char c) {
  const auto end = rest_.find(c);
  if (end == std::string_view::npos) return std::nullopt;
  std::string result(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return result;
}

// The specification knows true and false; libomp takes the others as well, and programs rely on it.
std::optional<bool> parse_boolean(std::string_view text) {
  return parse_word<bool>(text, {{"true", true}, {"1", true}, {"yes", true}, {"on", true}, {"enabled", true},
                                 {"false", false}, {"0", false}, {"no", false}, {"off", false}, {"disabled", false}});
}

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
                                                     {"guided", schedule_kind::guided},
                                                     {"auto", schedule_kind::auto_}});
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
  if (const auto all = parse_boolean(text)) return std::vector{*all ? bind::true_ : bind::false_};
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
