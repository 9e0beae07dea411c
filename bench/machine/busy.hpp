// The load: a program that uses a processor all the time.
#pragma once

namespace bench {

/// Uses the processor until the process is killed, or its parent ends. In a session of its own it counts as another program,
/// because the kernel first divides processor time among sessions (autogroups). `within_session`: it counts like a thread of
/// ours, by its nice value.
[[noreturn]] void burn(int processor, bool within_session);

}  // namespace bench
