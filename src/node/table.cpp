#include "node/table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/raw_call.hpp"

namespace weir::node {

namespace {

// More are not counted. A user who makes thousands of files still costs the others some calls for each.
constexpr std::size_t most_files = 4096, most_programs = 64;
// A file that is empty has just been made, or its program was killed before it wrote.
constexpr time_t empty_for_seconds = 10;
constexpr const char* prefix = "program-";

struct found_program {
  program published;
  uid_t user;
};

/// Does a program hold the lock, or does the system not say? Only who may write a file can: readers' locks do not count.
bool may_be_locked(int file) {
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_WRLCK;
}

// By the kernel: see system/read_by_kernel.hpp.
long read_begin(int file, std::span<std::byte> to) {
  return raw_call(SYS_pread64, file, as_argument(to.data()), static_cast<long>(to.size()), 0);
}

/// Has a program that has ended left this file? Others' files with such names stay.
bool is_left_over(int file, const char* name, const struct stat& status) {
  int process = 0;
  long seconds = 0, ns = 0;
  char more = 0;
  if (std::sscanf(name, "program-%d-%ld-%ld%c", &process, &seconds, &ns, &more) != 3) return false;
  if (status.st_size == 0) return time(nullptr) - status.st_mtime > empty_for_seconds;
  std::array<std::byte, sizeof(entry)> bytes{};
  return read_begin(file, bytes) > 0 && begins_as_entry(bytes);
}

bool take_lock(int file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

std::optional<program> read_from(int file) {
  // Again if it was being written just then.
  for (int tries = 0; tries < 3; ++tries) {
    std::array<std::byte, sizeof(entry) + 1> bytes;
    const long read = read_begin(file, bytes);
    if (read < 0) return std::nullopt;
    if (auto p = from_bytes(std::span(bytes).first(static_cast<std::size_t>(read)))) return p;
  }
  return std::nullopt;
}

/// The entry in a file of the folder. Files of programs that have ended are removed.
std::optional<found_program> program_in(int folder, const char* name) {
  // Not blocking: it may be a pipe.
  const descriptor file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (!may_be_locked(file.number())) {
    if (is_left_over(file.number(), name, status)) unlinkat(folder, name, 0);
    return std::nullopt;
  }
  auto p = read_from(file.number());
  if (!p) return std::nullopt;
  return found_program{std::move(*p), status.st_uid};
}

std::string said(const std::string& what, int error) { return what + ": " + std::strerror(error); }

}  // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}
descriptor::~descriptor() {
  if (number_ >= 0) close(number_);
}

std::string table::usual_place() { return "/dev/shm/weir-share-" + std::to_string(geteuid()); }

table::table(std::string folder) : folder_(std::move(folder)), is_own_(folder_ == usual_place()) { open_folder(why_not_); }
table::~table() {
  if (!has_its_file()) mine_.forget();
}

// The folder is not kept open: a program may close all its descriptors, and have files of its own by these numbers.
descriptor table::open_folder(std::string& why_not) const {
  descriptor opened(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (!opened || fstat(opened.number(), &status) != 0) {
    why_not = said(folder_, errno);
    return descriptor();
  }
  const bool others_write = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (status.st_uid != geteuid() && (is_own_ || status.st_uid != 0))
    why_not = folder_ + " belongs to user " + std::to_string(status.st_uid);
  else if (others_write && (is_own_ || (status.st_mode & S_ISVTX) == 0))
    why_not = "in " + folder_ + " other users may remove files";
  else
    return opened;
  return descriptor();
}

// By the number of the descriptor there may be another file, of the program.
bool table::has_its_file() const {
  struct stat status;
  return mine_ && fstat(mine_.number(), &status) == 0 && status.st_dev == my_device_ && status.st_ino == my_inode_;
}

bool table::refused(const std::string& what) {
  why_not_ = what;
  return false;
}

bool table::join() {
  if (is_own_) mkdir(folder_.c_str(), 0700);
  const descriptor folder = open_folder(why_not_);
  if (!folder) return false;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  my_file_ = prefix + std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) + "-" + std::to_string(now.tv_nsec);
  mine_ = descriptor(openat(folder.number(), my_file_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  struct stat status;
  // A user who may enter the folder may read the file, whatever the umask.
  if (!mine_ || fchmod(mine_.number(), is_own_ ? 0600 : 0644) != 0 || !take_lock(mine_.number()) ||
      fstat(mine_.number(), &status) != 0) {
    refused(said(path_of(my_file_), errno));
    if (mine_) unlinkat(folder.number(), my_file_.c_str(), 0);  // it will try again
    mine_ = descriptor();
    return false;
  }
  my_device_ = status.st_dev;
  my_inode_ = status.st_ino;
  return true;
}

bool table::publish(const program& own) {
  if (has_left_) return false;
  why_not_.clear();
  const bool there = has_its_file();
  if (!there) mine_.forget();
  struct stat status;
  // Somebody may have removed it.
  if ((!there || fstat(mine_.number(), &status) != 0 || status.st_nlink == 0) && !join()) return false;
  const entry e = to_entry(own);
  const bool has_size = fstat(mine_.number(), &status) == 0 && (status.st_size == 0 || status.st_size == sizeof e);
  if (!has_size && ftruncate(mine_.number(), 0) != 0) return refused(said(path_of(my_file_), errno));
  const long wrote = raw_call(SYS_pwrite64, mine_.number(), as_argument(&e), sizeof e, 0);
  if (wrote != sizeof e) return refused(said(path_of(my_file_), wrote < 0 ? static_cast<int>(-wrote) : ENOSPC));
  return true;
}

void table::leave() {
  has_left_ = true;
  if (!my_file_.empty()) unlink(path_of(my_file_).c_str());
}

void table::abandon() {
  my_file_.clear();
  mine_.forget();
}

std::optional<std::vector<program>> table::others() const {
  std::string why_not;
  descriptor opened = open_folder(why_not);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opened ? fdopendir(opened.number()) : nullptr, closedir);
  if (folder == nullptr) return std::nullopt;
  const int number = opened.number();
  opened.forget();  // closedir() closes it
  std::vector<found_program> found;
  std::size_t files = 0;
  for (const dirent* d; files < most_files && (d = readdir(folder.get())) != nullptr; ++files) {
    if (std::strncmp(d->d_name, prefix, std::strlen(prefix)) != 0 || d->d_name == my_file_) continue;
    if (auto p = program_in(number, d->d_name)) found.push_back(std::move(*p));
  }
  std::ranges::sort(found, comes_before, &found_program::published);
  std::vector<program> counted;
  for (std::size_t i = 0; i < found.size() && counted.size() < most_programs; ++i) {
    const uid_t user = found[i].user;
    const auto before = std::count_if(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i),
                                      [user](const found_program& p) { return p.user == user; });
    if (static_cast<std::size_t>(before) < most_of_user) counted.push_back(std::move(found[i].published));
  }
  return counted;
}

}  // namespace weir::node
