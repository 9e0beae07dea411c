// The forms of values. Every function takes a whole value and returns nothing if it is malformed.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "openmp/settings/settings.hpp"
#include "openmp/support/scanner.hpp"

namespace weir::openmp {

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
std::optional<Value> parse_word(std::string_view text, std::span<const std::pair<std::string_view, Value>> words) {
  scanner in(text);
  const std::string word = in.word();
  if (in.done())
    for (const auto& [name, value] : words)
      if (name == word) return value;
  return std::nullopt;
}
template <class Value>
std::optional<Value> parse_word(std::string_view text, std::initializer_list<std::pair<std::string_view, Value>> words) {
  return parse_word<Value>(text, std::span(words.begin(), words.size()));
}

}  // namespace weir::openmp
