// The load: a program that uses a processor all the time.
#pragma once

namespace bench {

/// Uses the processor until it is killed, or its parent ends. In a session of its own it counts as another program: the kernel
/// divides processor time among sessions first (autogroups). `within_session`: it counts as a thread of ours, by its nice value.
[[noreturn]] void burn(int processor, bool within_session);

}  // namespace bench
