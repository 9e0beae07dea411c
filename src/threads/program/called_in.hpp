// Threads of the program that run for long without a call: the monitor asks whether they poll, and calls them in. See above.hpp.
#pragma once

namespace weir::threads {

/// Once, until the monitor has found that the threads are not too many: it decides about the next calls.
void ask_for_call();
/// When the monitor next looks.
void call_at_once();
/// Has a thread that was called in been polling? A hint.
bool some_have_polled();

}  // namespace weir::threads
