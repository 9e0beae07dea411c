// What the system says of itself in small files: without streams, which alone would cost a program more than all else at its start.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Nothing where it cannot be read.
std::optional<std::string> contents_of(const std::string& path);

/// The parts between separators, at least one; a separator at the end begins no further part.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace weir
