// A thread that the program or its libraries create themselves, as a member: WEIR_THREADS=all, or auto once some of them poll.
// README.md draws its states.
//
// While the program has more threads than processors, a thread takes a seat on a virtual processor where it would wait for
// another thread, or creates one, or where the kernel has let it begin late. Before a call that blocks in the system, it returns
// to its own kernel thread. A thread that runs for long without any such call is asked to attach by the monitor, since it might
// spin: by a message (preemption/messages.hpp), whose answer takes the seat.
//
// With WEIR_THREADS=auto the seats open only when threads that run have been found to poll (polling_evidence.hpp): the monitor
// asks them by the same signal. Threads that sleep while they wait stay with the kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pthread.h>

#include "threads/preemption/above.hpp"
#include "threads/scheduling/pool.hpp"

namespace weir {
struct scheduling;
}

namespace weir::threads {

/// What pthread_create() asks for, or thrd_create().
struct beginning {
  void* (*run)(void*) = nullptr;
  void* what = nullptr;
  int (*run_by_c11)(void*) = nullptr;  // instead of `run`
  bool gives_own_state = false;        // as its creator
  std::uint64_t creation = 0;          // its ticket (posix/joins.hpp)
  std::size_t stack_bytes = 0;         // 0: nobody knows
};
/// Everything that Weir knows of one thread, and the only writer of it (program_thread.cpp).
class program_thread;

// ---- it begins and ends

/// Called before a thread of the program creates another one. The first thread may be given a seat from now on. Once it has had
/// one, it keeps the processors until it ends: otherwise they would end, and begin anew, whenever the other threads have ended.
/// Before the threads are more than the processors, Weir's own threads begin: later they would have to wait for those that spin.
void expect_another();
/// Called by the creator. Null: there is no memory.
program_thread* expect_thread(beginning does);
/// The system has refused the thread.
void forget_thread(program_thread& refused);
beginning beginning_of(const program_thread& thread);
/// The lifetime of such a thread, in that thread. The thread may be given a seat.
class life_of_thread {
 public:
  explicit life_of_thread(program_thread& thread);
  life_of_thread(const life_of_thread&) = delete;
  ~life_of_thread();
};
/// Before a thread that has begun otherwise ends.
void end_program_thread();
/// The program's threads take no seat where they begin, since Weir is not the only one to begin them: a sanitizer that is a part
/// of the program asks there for the number of its kernel thread. Written when the library is loaded.
extern constinit bool begin_in_kernel;
/// Called at the end of a thread that has had a seat, when is_program_thread() does not hold any more. Null: nobody joins here.
using teller = void (*)();
extern constinit teller tell_those_who_join;
/// Has a thread with this number not ended yet, as far as is known here?
bool is_program_thread(pthread_t thread);

// ---- it takes its seat, and leaves it

// attach_to_wait(): in preemption/above.hpp.
/// The same, where the kernel would let the thread sleep otherwise: the first times it does.
bool comes_to_sleep();
/// The calling thread yields, perhaps because it waits for another one.
inline void note_yield() {
  if (body* const own = own_body_of_thread()) own->count_waits();
}
/// Called where the calling thread is going to block in the system: it goes on in its own kernel thread. It returns when it next
/// waits for another thread. False: it is no thread of the program that has a seat.
bool detach_to_block();
/// Called where the calling thread makes a child process: it goes on in its own kernel thread, if it has one and may. The kernel
/// takes the kernel thread for the parent: it alone may trace the child or await it by __WNOTHREAD, and a child that has asked
/// for it gets a signal when that thread ends (PR_SET_PDEATHSIG).
void detach_to_make_child();
/// Of a thread in the kernel that may take a seat; null: it may not. Async-signal-safe, as the next.
body* body_that_may_attach();
/// True: a virtual processor drives the calling thread from now on. In a handler only processors that are there already will do.
bool take_seat(bool is_in_handler = false);

// ---- it makes a child process without the C library's handlers of forks

// Such a child sees the memory of its parent, or a copy of it, with what Weir notes of the thread: by these notes the child would
// run members of its parent. So the thread is nobody meanwhile, and in the child this stays so: there everything goes to the C
// library.

/// What the calling thread is to Weir.
struct standing {
  body *attached = nullptr, *own = nullptr;
  processor* drives = nullptr;
  program_thread* known = nullptr;
  const scheduling* by = nullptr;
  bool stays_in_kernel = false;
  processor* blocks = nullptr;
};
/// The thread is nobody from now on, until restore() in the parent. `waits`: it will be suspended until its child executes a
/// program or ends, and others have its processor meanwhile.
standing set_aside(bool waits);
void restore(const standing& before);
/// The child, which has a copy of the memory, and which the C library's handlers of forks do not know.
void begin_as_copy();
/// For a child that lives beside its parent in the same memory: the thread is left to the kernel for good.
void leave_for_good();

}  // namespace weir::threads
