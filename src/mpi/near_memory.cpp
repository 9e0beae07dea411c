#include "near_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call.hpp"
#include "polite.hpp"

namespace weir::mpi {

namespace {

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
  const std::size_t bytes = people * sizeof(roll::person) + lines * sizeof(line);
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
    result->people().enter();
  } else if (memory.at != MAP_FAILED) {
    munmap(memory.at, bytes);
  }
  if (!all_good && good) failed = "another process cannot share memory with its node";
  return result;
}

near_memory::near_memory(void* at, std::size_t bytes, unsigned index, unsigned people, const std::vector<unsigned>& flag_line)
    : at_(at),
      bytes_(bytes),
      people_(static_cast<roll::person*>(at), people, index),
      lines_(reinterpret_cast<line*>(static_cast<roll::person*>(at) + people)) {
  // The memory comes as zeros, which is what all words and gates begin as.
  std::vector<unsigned> used;
  for (const unsigned l : flag_line) {
    if (l >= used.size()) used.resize(l + 1, 0);
    flags_.push_back(&lines_[l].flags[used[l]++]);
    line_of_.push_back(&lines_[l]);
  }
}

near_memory::~near_memory() { munmap(at_, bytes_); }

processes::gate& near_memory::gate_of(unsigned index) { return line_of_[index]->gate; }

}  // namespace weir::mpi
