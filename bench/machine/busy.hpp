// The load: a program that uses a processor all the time.
#pragma once

namespace bench {

/// Uses the processor until it is killed, or its parent ends. It has a session of its own: the kernel divides
/// processor time among sessions first (autogroups), as it does between a program and other programs.
[[noreturn]] void burn(int processor);

}  // namespace bench
