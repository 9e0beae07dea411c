// What this room asks of the threads that the program creates (program/program_thread.hpp), which define these functions.
#pragma once

#include <cstdint>

#include <ucontext.h>

namespace weir::threads {

class claimant;

/// Called where the calling thread would wait for another thread of the process: it takes its seat, if it belongs on a processor.
/// True: a virtual processor drives it now.
bool attach_to_wait();
/// For the monitor, which is the claimant: on how many processors the threads run from now on, if other programs take them away.
/// Returns when it should look again.
std::uint64_t look_for_deprivation(claimant& by, std::uint64_t now_ns);
/// In the handler of messages: the thread has been asked whether it polls.
void answer_poll_question(const ucontext_t& in);
/// For the monitor, which is the claimant: asks threads without seats that run, while there are more threads than processors, to
/// attach. Returns when to ask again, in nanoseconds; the largest number: when somebody calls wake_monitor_at().
std::uint64_t attach_running_threads(std::uint64_t now_ns);
/// In the handler of messages: the thread has been asked to attach.
void answer_attach_request(ucontext_t& in);

}  // namespace weir::threads
