// Reads a text from left to right: words, numbers and signs, with blanks between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::openmp {

/// Blanks before each item are skipped.
class scanner {
 public:
  explicit scanner(std::string_view text) : rest_(text) {}

  bool done() { return skip_blanks().empty(); }
  bool sees(char c) { return skip_blanks().starts_with(c); }
  bool take(char c);
  std::string word();  ///< letters, digits and _, in lower case; empty if there are none
  std::optional<unsigned long long> natural();
  std::optional<int> integer();  ///< with or without a sign
  std::optional<int> integer_from(int low);
  std::optional<std::string> until(char);  ///< the text before this character, which is consumed as well

 private:
  std::string_view skip_blanks();
  std::string_view rest_;
};

/// Without the blanks around it.
std::string_view trimmed(std::string_view);
std::string lower(std::string_view);
std::string upper(std::string_view);

}  // namespace weir::openmp
