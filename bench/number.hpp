// A number as a word of a command line.
#pragma once

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

namespace bench {

/// Nothing where the word is no finite number, or more than one.
inline std::optional<double> number_in(const std::string& text) {
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    if (used == text.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

}  // namespace bench
