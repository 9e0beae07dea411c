// The cgroup CPU quota of this process. A container's limit may sit on its own group or on any
// ancestor, so the whole path is walked and the tightest limit wins.
//   v1: cpu.cfs_quota_us / cpu.cfs_period_us, -1 for none
//   v2: cpu.max holds "QUOTA PERIOD", or "max PERIOD" for none
#include <weir/machine/processors.hpp>

#include <algorithm>
#include <charconv>

#include "system/system_files.hpp"

namespace weir {

namespace {

struct group {
  std::string mount;  // where the hierarchy is mounted, as the process sees it
  std::string path;   // the process's group below it, "/" for the root
  bool unified;       // cgroup v2
};

bool has(const std::vector<std::string_view>& parts, std::string_view wanted) {
  return std::find(parts.begin(), parts.end(), wanted) != parts.end();
}

struct mount_point {
  std::string where;
  std::string shows;  // the group that the mount shows as its root: not "/" inside many containers
};

// mountinfo: id parent major:minor root mount-point options [tags] - type source super-options
std::optional<mount_point> find_mount(std::string_view mounts, bool unified) {
  for (const auto line : split(mounts, '\n')) {
    if (line.find(" - cgroup") == std::string_view::npos) continue;
    const auto fields = split(line, ' ');
    const auto dash = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "-") - fields.begin());
    if (fields.size() < 5 || dash + 3 >= fields.size()) continue;
    const bool match = unified ? fields[dash + 1] == "cgroup2"
                               : fields[dash + 1] == "cgroup" && has(split(fields[dash + 3], ','), "cpu");
    if (match) return mount_point{std::string(fields[4]), std::string(fields[3])};
  }
  return std::nullopt;
}

// /proc/self/cgroup: "4:cpu,cpuacct:/path" for v1, "0::/path" for v2
std::vector<group> groups_of_this_process(const std::string& root) {
  std::vector<group> groups;
  const auto listed = contents_of(root + "/proc/self/cgroup"), mounts = contents_of(root + "/proc/self/mountinfo");
  if (!listed || !mounts) return groups;
  for (const auto line : split(*listed, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !has(split(controllers, ','), "cpu")) continue;
    const auto mount = find_mount(*mounts, unified);
    if (!mount) continue;
    std::string path(line.substr(second + 1));
    // A group whose name only begins alike is another one.
    const std::size_t shown = mount->shows.size();
    if (mount->shows != "/" && path.starts_with(mount->shows) && (path.size() == shown || path[shown] == '/'))
      path.erase(0, shown);
    groups.push_back({mount->where, path.empty() ? "/" : path, unified});
  }
  return groups;
}

/// The number that the text begins with, which is taken from it; 0 where there is none ("max").
long long take_number(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\n')) text.remove_prefix(1);
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : 0;
}

std::optional<cpu_quota> limit_of(const std::string& directory, bool unified) {
  const std::string source = directory + (unified ? "/cpu.max" : "/cpu.cfs_quota_us");
  auto text = contents_of(source);
  if (!text) return std::nullopt;
  // As version 2 has it: both in one.
  if (!unified) text = *text + " " + contents_of(directory + "/cpu.cfs_period_us").value_or("");
  std::string_view rest = *text;
  const long long quota = take_number(rest), period = take_number(rest);
  if (quota <= 0 || period <= 0) return std::nullopt;
  return cpu_quota{static_cast<double>(quota) / static_cast<double>(period), source};
}

}  // namespace

std::optional<cpu_quota> quota_below(const std::string& root) {
  std::optional<cpu_quota> tightest;
  for (const auto& g : groups_of_this_process(root)) {
    for (std::string path = g.path;;) {
      const auto limit = limit_of(root + g.mount + (path == "/" ? "" : path), g.unified);
      if (limit && (!tightest || limit->processors < tightest->processors)) tightest = limit;
      if (path == "/" || path.empty()) break;
      const auto slash = path.rfind('/');
      path = slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
    }
  }
  return tightest;
}

}  // namespace weir
