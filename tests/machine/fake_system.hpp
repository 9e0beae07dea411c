// A /sys of a machine that is not here.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace fake {

namespace fs = std::filesystem;

class system {
 public:
  system() : root_(fs::temp_directory_path() / ("weir-system-" + std::to_string(getpid()))) { fs::create_directories(root_); }
  ~system() { fs::remove_all(root_); }
  system(const system&) = delete;

  std::string root() const { return root_.string(); }
  fs::path devices() const { return root_ / "sys/devices/system"; }

  void file(const std::string& path, const std::string& text) const {
    const fs::path whole = devices() / path;
    fs::create_directories(whole.parent_path());
    std::ofstream(whole) << text << '\n';
  }
  static std::string cpu(int p, const std::string& path) { return "cpu/cpu" + std::to_string(p) + "/" + path; }
  void topology(int p, const std::string& core, const std::string& socket) const {
    file(cpu(p, "topology/core_cpus_list"), core);
    file(cpu(p, "topology/package_cpus_list"), socket);
  }
  void cache(int p, int index, int level, const std::string& type, const std::string& shared) const {
    const std::string folder = "cache/index" + std::to_string(index) + "/";
    file(cpu(p, folder + "level"), std::to_string(level));
    file(cpu(p, folder + "type"), type);
    file(cpu(p, folder + "shared_cpu_list"), shared);
  }
  void node(int n, const std::string& processors) const { file("node/node" + std::to_string(n) + "/cpulist", processors); }

 private:
  fs::path root_;
};

}  // namespace fake
