// Threads that the program and its libraries create themselves, as members: WEIR_THREADS=all.
//
// A thread that the program creates takes a seat on a virtual processor when it begins, since it might spin without any call. Where
// there are more threads than processors, the thread that creates one takes a seat, too, and any thread that would wait for another
// one. For a call that blocks in the system, a thread then returns to its own kernel thread.
#pragma once

#include "threads/body.hpp"

namespace weir::threads {

/// Written when the library is loaded. The number of processors for the program's threads; 0: they are threads of the kernel.
extern constinit unsigned processors_for_all;
inline bool all_are_members() { return processors_for_all != 0; }

/// Called where the calling thread would wait for another thread of the process: it takes its seat, if it belongs on a processor.
/// True: a virtual processor drives it now.
bool comes_to_wait();
/// Called where the calling thread is going to block in the system: it goes on in its own kernel thread. It returns when it next
/// waits for another thread. False: it is no thread of the program that has a seat.
bool leaves_to_block();

/// The lifetime of a thread that the program has created, in that thread. The thread may be given a seat.
class program_thread {
 public:
  program_thread();
  program_thread(const program_thread&) = delete;
  ~program_thread();
};
/// Before a thread that has begun otherwise ends.
void end_program_thread();
/// Has a thread with this number not ended yet, as far as is known here?
bool is_program_thread(pthread_t thread);

}  // namespace weir::threads
