#include "near_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call.hpp"
#include "polite.hpp"

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

std::uint64_t name_space() {
  struct stat found;
  return stat("/proc/self/ns/pid", &found) == 0 ? static_cast<std::uint64_t>(found.st_ino) : 0;
}

constexpr std::size_t name_bytes = 64;

struct mapped {
  void* at = MAP_FAILED;
  int error = 0;
};

mapped map(int file, std::size_t bytes) {
  if (file < 0) return {MAP_FAILED, errno};
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  return {at, at == MAP_FAILED ? error : 0};
}

// With the memory itself, not the promise of it: where /dev/shm is full, a first write would kill the process.
mapped make(const char* name, std::size_t bytes) {
  const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0) return {MAP_FAILED, errno};
  if (const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes)); error != 0) {
    close(file);
    shm_unlink(name);
    return {MAP_FAILED, error};
  }
  return map(file, bytes);
}

}  // namespace

std::unique_ptr<near_memory> near_memory::open(MPI_Comm comm, const std::vector<unsigned>& node,
                                               const std::vector<unsigned>& flag_line, unsigned lines, std::string& failed) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "asking for the rank");
  const auto people = static_cast<unsigned>(node.size());
  const auto index = static_cast<unsigned>(std::find(node.begin(), node.end(), static_cast<unsigned>(rank)) - node.begin());
  const std::size_t bytes = people * sizeof(person) + lines * sizeof(line);
  const bool alone = people == 1;

  // The node's first process makes the memory, the others find it by name.
  constexpr const char* doing = "making a node's memory";
  char name[name_bytes] = {};
  mapped memory;
  struct unlink_at_end {
    const char* name = nullptr;
    ~unlink_at_end() {
      if (name != nullptr) shm_unlink(name);
    }
  } unlinked;
  if (index == 0 && !alone) {
    // A process of the same number may have left one of the same name when it was killed.
    static std::atomic<unsigned> made{0};
    do {
      std::snprintf(name, sizeof name, "/weir-mpi-%ld-%u", static_cast<long>(getpid()), made.fetch_add(1, std::memory_order_relaxed));
      memory = make(name, bytes);
    } while (memory.error == EEXIST);
    if (memory.at != MAP_FAILED) unlinked.name = name;
    for (const unsigned other : node)
      if (other != node[0]) check(PMPI_Send(name, name_bytes, MPI_CHAR, static_cast<int>(other), 0, comm), doing);
  } else if (!alone) {
    MPI_Request request;
    check(PMPI_Irecv(name, name_bytes, MPI_CHAR, static_cast<int>(node[0]), 0, comm, &request), doing);
    polite::wait(request, doing);
    memory = map(shm_open(name, O_RDWR, 0), bytes);
  }
  const bool good = alone || memory.at != MAP_FAILED;
  if (!good) failed = "shared memory of " + std::to_string(bytes) + " bytes: " + std::strerror(memory.error);
  const bool all_good = polite::least(good, comm, doing) != 0;
  std::unique_ptr<near_memory> result;
  if (all_good && !alone) {
    result.reset(new near_memory(memory.at, bytes, index, people, flag_line));
    result->enter();
  } else if (memory.at != MAP_FAILED) {
    munmap(memory.at, bytes);
  }
  if (!all_good && good) failed = "another process cannot share memory with its node";
  return result;
}

near_memory::near_memory(void* at, std::size_t bytes, unsigned index, unsigned people, const std::vector<unsigned>& flag_line)
    : at_(at),
      bytes_(bytes),
      index_(index),
      next_asked_((index + 1) % people),
      people_(people),
      persons_(static_cast<person*>(at)),
      lines_(reinterpret_cast<line*>(persons_ + people)) {
  // The memory comes as zeros, which is what all words and gates begin as.
  std::vector<unsigned> used;
  for (const unsigned l : flag_line) {
    if (l >= used.size()) used.resize(l + 1, 0);
    flags_.push_back(&lines_[l].flags[used[l]++]);
    line_of_.push_back(&lines_[l]);
  }
}

near_memory::~near_memory() { munmap(at_, bytes_); }

void near_memory::enter() {
  person& me = persons_[index_];
  me.process = getpid();
  me.started = began(me.process);
  // release: all of it, for one_that_has_ended().
  me.numbered_in.store(name_space(), std::memory_order_release);
}

processes::gate& near_memory::gate_of(unsigned index) { return line_of_[index]->gate; }

int near_memory::given_up_for() const {
  for (unsigned i = 0; i < people_; ++i)
    // relaxed: it is looked at now and then, and orders nothing.
    if (const int because_of = persons_[i].gave_up.load(std::memory_order_relaxed); because_of != 0) return because_of - 1;
  return -1;
}

int near_memory::one_that_has_ended() {
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

void near_memory::give_up(int because_of) noexcept { persons_[index_].gave_up.store(1 + because_of, std::memory_order_relaxed); }

}  // namespace weir::mpi
