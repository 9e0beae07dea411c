// The file `stat` of a process or of a thread [proc_pid_stat(5)].
#pragma once

#include <cstring>

namespace weir {

/// Where a field of this text begins, by its number in the manual, from the third on: the second is the name, which may hold
/// anything. Null: the text has no such field. Async-signal-safe.
inline const char* stat_field(const char* stat, unsigned which) {
  constexpr unsigned after_name = 3;
  const char* at = std::strrchr(stat, ')');
  if (at == nullptr || at[1] != ' ') return nullptr;
  for (unsigned field = after_name; at != nullptr && field <= which; ++field) at = std::strchr(at + 1, ' ');
  return at != nullptr && at[1] != '\0' ? at + 1 : nullptr;
}

}  // namespace weir
