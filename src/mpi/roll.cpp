#include "roll.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace weir::mpi {

namespace {

constexpr std::int64_t ended = -1, unknown = -2;

// When a process began, in the kernel's ticks; unknown where one cannot look: there may be no file that can be opened, or no /proc.
// A process that has ended but that nobody has asked about yet (a zombie) is there still, and has no more to say; but one whose
// first thread alone has ended looks like it.
std::int64_t began(std::int64_t process) {
  if (kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return ended;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return unknown;
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 1, text.size())));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  constexpr std::size_t state = 3 - 3, threads = 20 - 3, started = 22 - 3;  // proc(5), less the number and the name
  if (fields.size() <= started) return unknown;
  if (fields[state] == "X" || (fields[state] == "Z" && std::strtol(fields[threads].c_str(), nullptr, 10) < 2)) return ended;
  return std::strtoll(fields[started].c_str(), nullptr, 10);
}

// Not where /proc shows another name space's processes: of the same number there is somebody else.
std::int64_t began_myself() {
  char said[32] = {};
  const bool mine = readlink("/proc/self", said, sizeof said - 1) > 0 && std::strtol(said, nullptr, 10) == getpid();
  return mine ? began(getpid()) : unknown;
}

std::uint64_t name_space() {
  struct stat found;
  return stat("/proc/self/ns/pid", &found) == 0 ? static_cast<std::uint64_t>(found.st_ino) : 0;
}

}  // namespace

void roll::enter() {
  person& me = persons_[index_];
  me.process = getpid();
  me.started = began_myself();
  // release: all of it, for one_that_has_ended().
  me.numbered_in.store(name_space(), std::memory_order_release);
}

int roll::given_up_for() const {
  for (unsigned i = 0; i < people_; ++i)
    // relaxed: it is looked at now and then, and orders nothing.
    if (const int because_of = persons_[i].gave_up.load(std::memory_order_relaxed); because_of != 0) return because_of - 1;
  return -1;
}

int roll::one_that_has_ended() {
  const std::uint64_t here = persons_[index_].numbered_in.load(std::memory_order_relaxed);
  // A few at a time, beginning with its neighbour: where many wait, each is asked about by somebody soon.
  for (unsigned asked = 0; asked < 8; ++asked, next_asked_ = (next_asked_ + 1) % people_) {
    const person& it = persons_[next_asked_];
    // Who has not entered yet has no name space; a number from another one says nothing here.
    if (next_asked_ == index_ || it.numbered_in.load(std::memory_order_acquire) != here || it.started < 0) continue;
    if (const std::int64_t now = began(it.process); now == it.started || now == unknown) continue;
    return static_cast<int>(next_asked_);
  }
  return -1;
}

void roll::give_up(int because_of) noexcept { persons_[index_].gave_up.store(1 + because_of, std::memory_order_relaxed); }

}  // namespace weir::mpi
