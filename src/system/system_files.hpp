// Reads the small files in which the system describes itself. It uses no C++ streams, whose locales would be half of the OpenMP
// runtime.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The contents of a file; nothing if it cannot be read.
std::optional<std::string> contents_of(const std::string& path);

/// The parts between separators, at least one; a separator at the end begins no further part.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace weir
