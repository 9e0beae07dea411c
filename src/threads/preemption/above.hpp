// What this room asks of the threads that the program creates (program/program_threads.hpp), which define these functions.
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
/// In the handler of the signal by which it asks whether a thread polls, of which this is the value.
extern const char poll_question;
void answer_poll_question(const ucontext_t& in);
/// For the monitor, which is the claimant: sends the signal to threads that run in the kernel's threads though there are more
/// than processors. Returns when it should do so again, in nanoseconds; the largest number: when somebody asks again by
/// wake_monitor_at().
std::uint64_t attach_running_threads(std::uint64_t now_ns);
/// In the handler of that signal, of which this is the value.
extern const char attach_request;
void answer_attach_request(ucontext_t& in);

}  // namespace weir::threads
