#include "segment.hpp"

#include <cerrno>
#include <csignal>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

namespace weir::node {

namespace {

// Until it is marked for removal a segment has one of these keys. A process that was killed in between has left it behind.
constexpr key_t first_key = 0x57454952, keys = 4096;

bool has_ended(pid_t process) { return process > 0 && kill(process, 0) != 0 && errno == ESRCH; }

// The creator's number is 0 for processes of another PID name space: their segments stay.
void remove_leftovers() {
  shm_info totals;
  const int last = shmctl(0, SHM_INFO, reinterpret_cast<shmid_ds*>(&totals));
  for (int i = 0; i <= last; ++i) {
    shmid_ds status;
    const int number = shmctl(i, SHM_STAT, &status);
    if (number < 0 || status.shm_perm.__key < first_key || status.shm_perm.__key >= first_key + keys || status.shm_nattch != 0)
      continue;
    if (status.shm_perm.cuid == geteuid() && has_ended(status.shm_cpid)) shmctl(number, IPC_RMID, nullptr);
  }
}

}  // namespace

// A System V segment, not a file: a file of /dev/shm has a name that a killed process leaves behind, is limited by RLIMIT_FSIZE
// (with SIGXFSZ), takes a file descriptor, and must fit in a /dev/shm that containers make small. The kernel reserves all of a
// segment at creation or refuses it, so no first write kills a process.
segment segment::make(std::size_t bytes) {
  static const bool clean = (remove_leftovers(), true);
  static_cast<void>(clean);
  segment s;
  key_t key = first_key + getpid() % keys;
  for (key_t tried = 0; tried < keys; ++tried, key = key + 1 < first_key + keys ? key + 1 : first_key)
    if (s.number_ = shmget(key, bytes, IPC_CREAT | IPC_EXCL | 0600); s.number_ >= 0 || errno != EEXIST) break;
  if (s.number_ < 0) {
    s.error_ = errno;
    return s;
  }
  s.attach();
  // The system frees it when the last process detaches it; until then Linux lets others attach it [shmctl(2)]. Its key becomes
  // free.
  shmctl(s.number_, IPC_RMID, nullptr);
  return s;
}

segment segment::of(int number) {
  segment s;
  s.number_ = number;
  s.attach();
  return s;
}

void segment::attach() {
  if (void* const at = shmat(number_, nullptr, 0); at != reinterpret_cast<void*>(-1))
    at_ = at;
  else
    error_ = errno;
}

segment::~segment() {
  if (at_ != nullptr) shmdt(at_);
}

}  // namespace weir::node
