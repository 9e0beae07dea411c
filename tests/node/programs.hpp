// What the tests of the table share: a folder for it, and programs, here and in other processes.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/table.hpp"

namespace weir::node {

namespace fs = std::filesystem;

class folder {
 public:
  folder() {
    std::string name = (fs::temp_directory_path() / "weir-table-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~folder() { fs::remove_all(path_); }
  folder(const folder&) = delete;
  fs::path path() const { return path_; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> paths;
    for (const auto& e : fs::directory_iterator(path_)) paths.push_back(e.path());
    return paths;
  }

 private:
  fs::path path_;
};

inline program called(const std::string& name, std::uint64_t joined = 1) {
  return {.asks = {.weight = 2, .wants = 3, .may_use = processor_set::first(4), .holds = processor_set::first(2)},
          .is_busy = true,
          .process = getpid(),
          .joined = joined,
          .seen = 7,
          .name = name};
}
inline std::vector<std::string> names(const table& t) {
  const auto others = t.others();
  std::vector<std::string> listed;
  for (const auto& p : *others) listed.push_back(p.name);
  return listed;
}
using strings = std::vector<std::string>;

/// A process that runs `what` and then waits to be killed, or to leave by `then`.
class child {
 public:
  explicit child(const std::function<void()>& what, const std::function<void()>& then = [] {}) {
    int ready[2], orders[2];
    EXPECT_EQ(pipe(ready), 0);
    EXPECT_EQ(pipe2(orders, O_CLOEXEC), 0);
    id_ = fork();
    char c;
    if (id_ == 0) {
      what();
      (void)!write(ready[1], "x", 1);
      while (read(orders[0], &c, 1) != 1) continue;
      then();
      _exit(0);
    }
    close(ready[1]);
    EXPECT_EQ(read(ready[0], &c, 1), 1);
    close(ready[0]);
    close(orders[0]);
    orders_ = orders[1];
  }
  ~child() {
    end();
    close(orders_);
  }
  void leave() {
    EXPECT_EQ(write(orders_, "x", 1), 1);
    int status = -1;
    waitpid(id_, &status, 0);
    EXPECT_EQ(status, 0);
    id_ = 0;
  }
  child(const child&) = delete;
  void end(int signal = SIGKILL) {
    if (id_ <= 0) return;
    kill(id_, signal);
    waitpid(id_, nullptr, 0);
    id_ = 0;
  }
  void stop() const {
    kill(id_, SIGSTOP);
    waitpid(id_, nullptr, WUNTRACED);
  }

 private:
  pid_t id_;
  int orders_ = -1;
};

}  // namespace weir::node
