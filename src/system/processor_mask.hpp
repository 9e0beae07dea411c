// A set of processors in the form of the system calls for affinity, which it makes itself: the C library's functions tell a
// program which processors it sees (visible_processors.hpp).
#pragma once

#include <cerrno>
#include <memory>
#include <new>
#include <optional>

#include <sched.h>

namespace weir {

/// The system calls for the calling thread: the result, or less than zero, -errno. A test may stand in for the kernel.
long get_affinity(std::size_t bytes, cpu_set_t*);
long set_affinity(std::size_t bytes, const cpu_set_t*);

/// For up to 1,024 processors it allocates no memory: in a thread that has allocated nothing yet, the first block would make the
/// C library map an arena.
class processor_mask {
 public:
  /// An empty set of processors below `most`.
  explicit processor_mask(int most) : bytes_(CPU_ALLOC_SIZE(static_cast<std::size_t>(most))) {
    if (bytes_ <= sizeof own_)
      bytes_ = sizeof own_;
    else if (larger_.reset(CPU_ALLOC(static_cast<std::size_t>(most))); larger_ == nullptr)
      throw std::bad_alloc();
    CPU_ZERO_S(bytes_, set());
  }

  /// The processors on which the calling thread may run. Nothing if the system does not say.
  static std::optional<processor_mask> of_this_thread() {
    // The mask may be larger than cpu_set_t; the kernel returns EINVAL until there is enough room.
    for (int most = CPU_SETSIZE; most <= 1 << 20; most *= 2)
      if (processor_mask m(most); get_affinity(m.bytes_, m.set()) > 0) return m;
    return std::nullopt;
  }
  /// Restricts the calling thread to these processors. Returns 0, or the reason why the system refuses (errno).
  int apply() const { return static_cast<int>(-set_affinity(bytes_, set())); }

  bool has(int processor) const { return CPU_ISSET_S(static_cast<std::size_t>(processor), bytes_, set()); }
  void add(int processor) { CPU_SET_S(static_cast<std::size_t>(processor), bytes_, set()); }
  int count() const { return CPU_COUNT_S(bytes_, set()); }
  std::size_t bytes() const { return bytes_; }
  const cpu_set_t* set() const { return larger_ ? larger_.get() : &own_; }

 private:
  struct freeing {
    void operator()(cpu_set_t* s) const { CPU_FREE(s); }
  };
  cpu_set_t* set() { return larger_ ? larger_.get() : &own_; }

  std::size_t bytes_;
  cpu_set_t own_;
  std::unique_ptr<cpu_set_t, freeing> larger_;
};

}  // namespace weir
