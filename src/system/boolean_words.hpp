// How settings say yes and no. The specification of OpenMP has true and false; LLVM's runtime accepts the others as well, and
// programs rely on it.
#pragma once

#include <string_view>
#include <utility>

namespace weir {

/// In small letters; settings may have capitals. Each ends with a zero.
inline constexpr std::pair<std::string_view, bool> boolean_words[] = {
    {"true", true},   {"1", true},  {"yes", true}, {"on", true},   {"enabled", true},
    {"false", false}, {"0", false}, {"no", false}, {"off", false}, {"disabled", false}};

}  // namespace weir
