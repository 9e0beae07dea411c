// SPDX-License-Identifier: Apache-2.0
// A crowd: more threads than processors, where a switch between two threads costs a function call.
//
//     weir::crowd c(16, [&](unsigned member) { ... barrier.arrive_and_wait(member); ... });
//     c.join();
//
// The members of a crowd execute one function on virtual processors, in user space [Weir's docs/threads.md]. Each member is a
// real thread with a stack and thread-local variables of its own. A member that waits in Weir's barriers, gates or locks
// (locks.hpp), or that calls this_member::yield(), gives the virtual processor to another member at once. A member that waits in
// the kernel (in a mutex of the standard library, or a system call), computes for long, or spins keeps the virtual processor
// until the monitor finds it, some 0.1 to 17 ms later. If the program also links weir::calls, each member has its own signal mask
// and the like.
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

  /// Starts the members, numbered from 0. The caller is not a member, but drives members while it waits in join(), of
  /// one of its crowds at a time. Throws
  /// std::system_error if the system refuses a thread, or if this processor's registers cannot be switched in user space; all
  /// members that have begun have then ended.
  crowd(unsigned members, std::function<void(unsigned member)> run);
  crowd(unsigned members, std::function<void(unsigned member)> run, options);
  /// Joins.
  ~crowd();
  crowd(const crowd&) = delete;

  /// Waits until all members have ended. Everything that they did is then visible to the caller, which must be the thread that
  /// created the crowd.
  void join();

 private:
  struct state;
  std::shared_ptr<state> its_;
};

namespace this_member {
/// Gives the virtual processor to another member that is ready to run. In a thread that is not a member: the system's yield.
void yield() noexcept;
}  // namespace this_member

}  // namespace weir

#endif
