// Is each of the operations needed? Each mutant breaks one, named by its line, and a scenario finds it in every run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "scenarios.hpp"

namespace explored_threads {

inline constexpr auto left_out = fault::kind::left_out, reads = fault::kind::reads;
inline constexpr auto sc = memory_model::sc, tso = memory_model::tso, weak = memory_model::weak;

inline const char* name_of(memory_model memory) { return memory == sc ? "Sc" : memory == tso ? "Tso" : "Weak"; }

struct mutant {
  const char* file;  // below src
  std::string line;  // all of it, or its begin
  fault::kind how;
  std::uint64_t value;
  std::string scenario;
  memory_model memory;  // the strongest in which it is found
  unsigned which = 0;   // of lines with the same text
};

inline unsigned line_of(const mutant& m) {
  std::ifstream in(std::filesystem::path(WEIR_SOURCE) / "src" / m.file);
  std::string line;
  unsigned which = m.which;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with(m.line) && which-- == 0) return number;
  }
  return 0;
}

inline void expect_found(std::span<const mutant> mutants, const std::vector<named>& programs) {
  for (const mutant& m : mutants) {
    const fault f{m.how, m.file, line_of(m), m.value};
    EXPECT_NE(f.line, 0u) << m.line;
    const auto in = std::find_if(programs.begin(), programs.end(), [&](const named& each) { return each.name == m.scenario; });
    ASSERT_NE(in, programs.end()) << m.scenario;
    present = &f;
    const bool found = !explore(in->program, {.memory = m.memory, .most_states = 1'000'000}).holds;
    const bool in_a_stronger_one = m.memory != sc && !explore(in->program, {.memory = m.memory == weak ? tso : sc}).holds;
    present = nullptr;
    EXPECT_TRUE(found) << m.file << ':' << f.line << ": " << m.line << '\n' << m.scenario;
    EXPECT_FALSE(in_a_stronger_one) << m.file << ':' << f.line << ": " << m.line << '\n' << m.scenario;
  }
}

/// An operation without a mutant, and why nothing breaks without it.
struct needless {
  const char* file;
  std::string line;  // its begin
  const char* why;
};

inline std::string text_at(const char* file, unsigned line) {
  std::ifstream in(std::filesystem::path(WEIR_SOURCE) / "src" / file);
  std::string text;
  for (unsigned number = 0; number < line && std::getline(in, text);) ++number;
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// Each line of the files that changes something in one of the scenarios has a mutant, or a reason.
inline void expect_covered(std::span<const char* const> files, std::span<const mutant> mutants, std::span<const needless> reasons,
                           const std::vector<named>& programs) {
  static std::set<std::pair<std::string, unsigned>> changed;
  changed.clear();
  changes_at = [](place at) {
    const arena::in_use heap(nullptr);
    changed.emplace(at.file_name(), at.line());
  };
  for (const named& each : programs) explore_at_random(each.program, {.schedules = 200});
  changes_at = nullptr;

  std::set<std::pair<const char*, unsigned>> known;
  for (const mutant& each : mutants) known.emplace(each.file, line_of(each));
  for (const auto& [path, line] : changed)
    for (const char* const file : files) {
      if (!path.ends_with(file)) continue;
      const std::string text = text_at(file, line);
      const bool has_reason = std::any_of(reasons.begin(), reasons.end(), [&](const needless& r) {
        return std::string_view(r.file) == file && text.starts_with(r.line);
      });
      const bool has_mutant = std::any_of(known.begin(), known.end(), [&](const auto& each) {
        return each.second == line && std::string_view(each.first) == file;
      });
      EXPECT_NE(has_mutant, has_reason) << file << ':' << line << ": " << text
                                        << (has_mutant ? "\nhas a mutant, and a reason" : "\nhas no mutant");
    }
}

}  // namespace explored_threads
