#include "system_files.hpp"

#include <cerrno>

#include <fcntl.h>

#include "errno_kept.hpp"
#include "raw_call.hpp"

namespace weir {

std::optional<std::string> contents_of(const std::string& path) {
  const errno_kept around;
  // Not the C library's functions: a thread that has been cancelled would end there, perhaps with a lock.
  const long file = raw_call(SYS_openat, AT_FDCWD, as_argument(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char part[4096];
  long got = 0;
  while ((got = raw_call(SYS_read, file, as_argument(part), sizeof part)) > 0 || got == -EINTR)
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
  raw_call(SYS_close, file);
  return got == 0 ? std::optional(std::move(text)) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  do {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  } while (!text.empty());
  return parts;
}

}  // namespace weir
