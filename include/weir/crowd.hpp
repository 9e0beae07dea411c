// A crowd: more threads than processors, at the cost of a function call for each switch between them.
//
//     weir::crowd c(16, [&](unsigned member) { ... barrier.arrive_and_wait(member); ... });
//     c.join();
//
// Its members execute one function on virtual processors, in user space [Weir's docs/threads.md]. Each member is a real thread
// with a stack and thread-local variables of its own. Weir's barriers, gates, locks (locks.hpp) and this_member::yield() give the
// virtual processor to another member at once. What waits in the kernel (a mutex of the standard library, a system call), computes
// for long or spins does so once it is found, some 0.1 to 17 ms later. With weir::calls linked, too, signal masks and the like are
// each member's own.
#pragma once

#if __cplusplus <= 201703L
#error "Weir needs C++20: compile with -std=c++20"
#else

#include <cstddef>
#include <functional>
#include <memory>

namespace weir {

class crowd {
 public:
  struct options {
    unsigned processors = 0;      ///< virtual ones; 0: as many as the process may use
    std::size_t stack_bytes = 0;  ///< of each member; 0: as the system has it
  };

  /// Starts the members, numbered from 0. The caller is none of them; its own processor drives members while it waits in join().
  /// std::system_error: the system refuses a thread, or this processor's registers cannot be switched in user space; then those
  /// members that have begun have ended.
  crowd(unsigned members, std::function<void(unsigned member)> run);
  crowd(unsigned members, std::function<void(unsigned member)> run, options);
  /// Joins.
  ~crowd();
  crowd(const crowd&) = delete;

  /// Waits until all members have ended. What they did before is visible to the caller. By the thread that has made the crowd.
  void join();

 private:
  struct state;
  std::shared_ptr<state> its_;
};

namespace this_member {
/// To another member that is ready to run; from a thread that is none, the system's yield.
void yield() noexcept;
}  // namespace this_member

}  // namespace weir

#endif
