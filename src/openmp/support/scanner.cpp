#include "openmp/support/scanner.hpp"

#include <algorithm>
#include <charconv>
#include <climits>

namespace weir::openmp {

namespace {

// Not <cctype>: the program's locale must not change the meaning of the environment.
bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool digit(char c) { return c >= '0' && c <= '9'; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char large(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool of_word(char c) { return (small(c) >= 'a' && small(c) <= 'z') || digit(c) || c == '_'; }

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

}  // namespace weir::openmp
