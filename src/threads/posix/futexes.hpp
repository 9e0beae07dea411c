// The system call futex(2), by which libraries wait that do not use POSIX threads' objects: Rust's, oneTBB, C++'s atomic waits.
#pragma once

namespace weir::threads {

/// The arguments of the system call as the program gives them. Returns as syscall(2) does.
long futex_for_members(const long (&arguments)[6]);

}  // namespace weir::threads
