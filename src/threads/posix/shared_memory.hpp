// Which words other processes may see. A futex operation that is not private names such a word, or the program has not told
// whether it does: GCC's std::counting_semaphore, std::barrier and atomic waits never tell.
#pragma once

namespace weir::threads {

/// May another process map the memory of this word? Asks the system once for each mapping; without an answer, it may. Threads may
/// get different answers for a while after private memory has taken the place of shared memory. Thread-safe.
bool may_be_shared(const void* word);

/// The program has made this system call: mmap(), with these flags, or another one that may map shared memory. Async-signal-safe.
void note_mapping(long number, long flags);

}  // namespace weir::threads
