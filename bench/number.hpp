// A number as a word of a command line.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace bench {

/// Nothing if the word is not exactly one finite decimal number.
inline std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Throws std::invalid_argument, with the option and what it takes.
inline double number_in(const std::string& option, const std::string& text, double least, double most) {
  const std::optional<double> value = number_in(text);
  if (value && *value >= least && *value <= most) return *value;
  std::ostringstream says;
  says.precision(15);
  says << option << " takes a number from " << least << " to " << most << ", not \"" << text << '"';
  throw std::invalid_argument(says.str());
}

/// The same for a whole number.
inline unsigned whole_number_in(const std::string& option, const std::string& text, unsigned least, unsigned most) {
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && rest == end && value >= least && value <= most) return value;
  throw std::invalid_argument(option + " takes a whole number from " + std::to_string(least) + " to " +
                              std::to_string(most) + ", not \"" + text + '"');
}

}  // namespace bench
