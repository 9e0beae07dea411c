// The load: a program that uses a processor all the time.
#pragma once

namespace bench {

/// Uses the processor until the process is killed, its parent ends, or nobody can write any more to the pipe that is its input,
/// if it is one. In a session of its own it counts as another program, because the kernel first divides processor time among
/// sessions (autogroups). `within_session`: it counts like a thread of ours, by its nice value.
[[noreturn]] void burn(int processor, bool within_session);

}  // namespace bench
