// The programs of a node that divide its processors: a folder in shared memory, with a file for each program.
//
// A program writes its own file, and reads those of the others. So the system itself sees to it that no program of another user
// changes an entry, or makes it shorter. Files are read, never mapped: where a mapped file is made shorter, its reader is killed.
//
// A program lives as long as it holds the lock on its file. The system releases the lock when the program ends in whatever way,
// also in another container, whose process numbers mean nothing here. Nobody waits for such a lock: a program that is stopped
// delays no other. A program that finds an entry without its lock removes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "node/entry.hpp"

namespace weir::node {

/// A file descriptor.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor();
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Leaves it open.
  void forget() { number_ = -1; }

 private:
  int number_;
};

class table {
 public:
  /// Further programs of one user are not counted.
  static constexpr std::size_t most_of_user = 32;
  /// Where the table is if nobody says otherwise: a folder of this user's, in shared memory.
  static std::string usual_place();

  /// The folder must be such that only this user, or the system's administrator, decides who may write
  /// into it, and that others cannot remove this user's files.
  explicit table(std::string folder);
  table(table&&) = default;
  ~table();
  /// Empty: all is well. Otherwise why the table cannot be used now.
  const std::string& why_not() const { return why_not_; }

  /// Writes this program's entry, at first into a new file, and again if its file is gone: a user who tidies up shared memory
  /// (systemd's RemoveIPC, when a user logs out) does not know that it is in use. False: it cannot, and why_not() says why; or
  /// the program has left.
  bool publish(const program& own);
  /// Removes this program's file, for good. Without this program's descriptors.
  void leave();
  /// In the child of a fork: the file is the parent's, and so are its descriptors, which the child does not have.
  void abandon();

  /// All other programs that live, in the order in which they have come. None: the folder cannot be read now.
  std::optional<std::vector<program>> others() const;

 private:
  /// The folder, opened; none if it is not such as it must be.
  descriptor open_folder(std::string& why_not) const;
  bool has_its_file() const;
  bool join();
  bool refused(const std::string& what);
  std::string path_of(const std::string& file) const { return folder_ + "/" + file; }

  std::string folder_, why_not_;
  bool is_own_ = false;  // the folder of this user's
  bool has_left_ = false;
  descriptor mine_;
  std::string my_file_;
  dev_t my_device_ = 0;
  ino_t my_inode_ = 0;
};

}  // namespace weir::node
