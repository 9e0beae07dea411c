// The forms that values have. Every function takes a whole value and returns nothing where it is malformed.
#pragma once

#include <string_view>

#include "openmp/settings/settings.hpp"

namespace weir::openmp {

/// Reads a value from left to right. Blanks between what it reads are skipped.
class scanner {
 public:
  explicit scanner(std::string_view text) : rest_(text) {}

  bool done() { return skip_blanks().empty(); }
  bool sees(char c) { return skip_blanks().starts_with(c); }
  bool take(char c);
  std::string word();  ///< letters, digits and _, in lower case; empty where there are none
  std::optional<unsigned long long> natural();
  std::optional<int> integer();  ///< with a sign or without
  std::optional<int> integer_from(int low);
  std::optional<std::string> until(char);  ///< all before it, which is taken as well

 private:
  std::string_view skip_blanks();
  std::string_view rest_;
};

/// Without the blanks around it.
std::string_view trimmed(std::string_view);
std::string lower(std::string_view);
std::string upper(std::string_view);

std::optional<bool> parse_boolean(std::string_view);
std::optional<int> parse_positive(std::string_view);
std::optional<int> parse_natural(std::string_view);
std::optional<std::vector<int>> parse_positives(std::string_view);
std::optional<std::size_t> parse_size_in_kilobytes(std::string_view);  ///< units where none is given
std::optional<std::size_t> parse_size_in_bytes(std::string_view);
std::optional<unsigned long long> parse_spins(std::string_view);
std::optional<int> parse_blocktime(std::string_view);
std::optional<schedule> parse_schedule(std::string_view);
std::optional<std::vector<bind>> parse_binds(std::string_view);
std::optional<allocator> parse_allocator(std::string_view);

/// One of a few words.
template <class Value>
std::optional<Value> parse_word(std::string_view text, std::initializer_list<std::pair<std::string_view, Value>> words) {
  scanner in(text);
  const std::string word = in.word();
  if (in.done())
    for (const auto& [name, value] : words)
      if (name == word) return value;
  return std::nullopt;
}

}  // namespace weir::openmp
