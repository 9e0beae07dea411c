// The system call futex(2), by which libraries wait that do not use POSIX threads' objects: Rust's, oneTBB, C++'s atomic waits.
#pragma once

#include <optional>

namespace weir::threads {

/// The arguments of the system call as the program gives them. Returns as syscall(2) does.
long futex_for_members(const long (&arguments)[6]);
/// The same for futex_wake(2) and futex_requeue(2). Nothing: the call is another one; it may be one that waits for futexes, of
/// which is taken note.
std::optional<long> later_futex(long number, const long (&arguments)[6]);

}  // namespace weir::threads
