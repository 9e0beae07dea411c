// Reads TOML with error messages that name the file, the line, the key and what was expected.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weir::simulator {

/// "FILE:LINE: KEY: what was expected, what was found".
struct bad_file : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A table of the file. It records which keys have been read; nothing_else() rejects the others.
class toml_table {
 public:
  struct node;
  explicit toml_table(std::shared_ptr<node> n) : node_(std::move(n)) {}

  bool has(const char* key) const;
  std::vector<std::string> keys() const;

  /// A missing key is an error, unless there is a default.
  std::string text(const char* key, std::optional<std::string> otherwise = {}) const;
  double number(const char* key, double least, double most, std::optional<double> otherwise = {}) const;
  unsigned whole(const char* key, unsigned least, unsigned most, std::optional<unsigned> otherwise = {}) const;
  bool flag(const char* key, bool otherwise) const;
  template <class Enum>
  Enum one_of(const char* key, std::initializer_list<std::pair<const char*, Enum>> known,
              std::optional<Enum> otherwise = {}) const {
    if (otherwise && !has(key)) return *otherwise;
    const std::string said = text(key);
    std::string expected;
    for (const auto& [name, value] : known) {
      if (said == name) return value;
      expected += (expected.empty() ? "" : ", ") + std::string(name);
    }
    complain(key, "one of " + expected + ", not \"" + said + "\"");
  }
  toml_table table(const char* key) const;
  /// At least one.
  std::vector<toml_table> tables(const char* key) const;

  void skip(const char* key) const;
  void nothing_else() const;
  /// Throws bad_file: `key` of this table should have been `expected`.
  [[noreturn]] void complain(const char* key, const std::string& expected) const;

  const node& raw() const { return *node_; }

 private:
  std::shared_ptr<node> node_;
};

class toml_file {
 public:
  /// Throws bad_file if the file cannot be read or is not TOML.
  explicit toml_file(const std::string& path);
  const toml_table& root() const { return root_; }

  /// Stores the value at `index` of an array of the table [sweep] at its key, which is a dotted path.
  /// A path goes through arrays of tables to all their tables.
  void choose(const std::string& path, std::size_t index);
  /// That value as JSON writes it.
  std::string chosen(const std::string& path, std::size_t index) const;
  /// The arrays of [sweep], in the order of the file, and their lengths.
  std::vector<std::pair<std::string, std::size_t>> sweep() const;

 private:
  toml_table root_;
};

}  // namespace weir::simulator
