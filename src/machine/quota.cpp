// The cgroup CPU quota of this process. A container's limit may sit on its own group or on any
// ancestor, so the whole path is walked and the tightest limit wins.
//   v1: cpu.cfs_quota_us / cpu.cfs_period_us, -1 for none
//   v2: cpu.max holds "QUOTA PERIOD", or "max PERIOD" for none
#include <weir/machine/processors.hpp>

#include <fstream>
#include <sstream>

namespace weir {

namespace {

struct group {
  std::string mount;  // where the hierarchy is mounted, as the process sees it
  std::string path;   // the process's group below it, "/" for the root
  bool unified;       // cgroup v2
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool has(const std::vector<std::string>& parts, const std::string& wanted) {
  for (const auto& part : parts)
    if (part == wanted) return true;
  return false;
}

struct mount_point {
  std::string where;
  std::string shows;  // the group that the mount shows as its root: not "/" inside many containers
};

// mountinfo: id parent major:minor root mount-point options [tags] - type source super-options
std::optional<mount_point> find_mount(const std::string& root, bool unified) {
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto fields = split(line, ' ');
    std::size_t dash = 0;
    while (dash < fields.size() && fields[dash] != "-") ++dash;
    if (fields.size() < 5 || dash + 3 >= fields.size()) continue;
    const bool match = unified ? fields[dash + 1] == "cgroup2"
                               : fields[dash + 1] == "cgroup" && has(split(fields[dash + 3], ','), "cpu");
    if (match) return mount_point{fields[4], fields[3]};
  }
  return std::nullopt;
}

// /proc/self/cgroup: "4:cpu,cpuacct:/path" for v1, "0::/path" for v2
std::vector<group> groups_of_this_process(const std::string& root) {
  std::vector<group> groups;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !has(split(controllers, ','), "cpu")) continue;
    const auto mount = find_mount(root, unified);
    if (!mount) continue;
    std::string path = line.substr(second + 1);
    if (mount->shows != "/" && path.starts_with(mount->shows)) path.erase(0, mount->shows.size());
    groups.push_back({mount->where, path.empty() ? "/" : path, unified});
  }
  return groups;
}

std::optional<cpu_quota> limit_of(const std::string& directory, bool unified) {
  double quota = -1, period = 0;
  std::string source;
  if (unified) {
    source = directory + "/cpu.max";
    std::ifstream(source) >> quota >> period;  // "max" does not parse: quota stays without a value
  } else {
    source = directory + "/cpu.cfs_quota_us";
    std::ifstream(source) >> quota;
    std::ifstream(directory + "/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return cpu_quota{quota / period, source};
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
