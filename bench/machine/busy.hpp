// The foreign process: a program that wants a processor all the time.
#pragma once

namespace bench {

/// Burns the processor until it is killed, or its parent ends. It has a session of its own, since
/// the kernel shares processor time among sessions first (autogroups): that is what makes it foreign.
[[noreturn]] void burn(int processor);

}  // namespace bench
