// Threads that the program and its libraries create themselves, as members: WEIR_THREADS=all, or auto once some of them poll.
//
// While the program has more threads than processors, a thread takes a seat on a virtual processor where it would wait for
// another thread, or creates one, or where the kernel has let it begin late. Before a call that blocks in the system, it returns
// to its own kernel thread. A thread that runs for long without any such call is asked to attach by the monitor, since it might
// spin: by the signal of ticks (tick.hpp), whose handler takes the seat.
//
// With WEIR_THREADS=auto the seats open only when threads that run have been found to poll (polling_evidence.hpp): the monitor
// asks them by the same signal. Threads that sleep while they wait stay with the kernel.
#pragma once

#include <cstdint>

#include "threads/preemption/above.hpp"
#include "threads/preemption/tick.hpp"
#include "threads/scheduling/pool.hpp"

namespace weir::threads {

/// Called where the calling thread is going to block in the system: it goes on in its own kernel thread. It returns when it next
/// waits for another thread. False: it is no thread of the program that has a seat.
bool detach_to_block();
/// Called where the calling thread makes a child process: it goes on in its own kernel thread, if it has one and may. The kernel
/// takes the kernel thread for the parent: it alone may trace the child or await it by __WNOTHREAD, and a child that has asked
/// for it gets a signal when that thread ends (PR_SET_PDEATHSIG).
void detach_to_make_child();

/// What pthread_create() asks for, or thrd_create().
struct beginning {
  void* (*run)(void*) = nullptr;
  void* what = nullptr;
  int (*run_by_c11)(void*) = nullptr;  // instead of `run`
  bool gives_own_state = false;        // as its creator
  std::uint64_t creation = 0;          // its ticket (posix/joins.hpp)
  std::size_t stack_bytes = 0;         // 0: nobody knows
};
/// What is known of a thread, in memory that later threads use again: a thread that allocates for the first time pays for an
/// arena of the C library's, which costs more than the thread.
struct known_thread;
/// The program's threads take no seat where they begin, since Weir is not the only one to begin them: a sanitizer that is a part
/// of the program asks there for the number of its kernel thread. Written when the library is loaded.
extern constinit bool begin_in_kernel;
/// Called by the thread that creates another one, which passes it to program_thread. Null: there is no memory.
known_thread* expect_thread(beginning its);
void forget_thread(known_thread& its);
beginning beginning_of(const known_thread& its);

/// As attach_to_wait(), where the kernel would let the thread sleep otherwise: the first times it does.
bool comes_to_sleep();

/// The lifetime of a thread that the program has created, in that thread. The thread may be given a seat.
class program_thread {
 public:
  explicit program_thread(known_thread& its);
  program_thread(const program_thread&) = delete;
  ~program_thread();
};
/// Before a thread that has begun otherwise ends.
void end_program_thread();
/// Called at the end of a thread that has had a seat, when is_program_thread() does not hold any more. Null: nobody joins here.
using teller = void (*)();
extern constinit teller tell_those_who_join;
/// Called before a thread of the program creates another one. The first thread may be given a seat from now on. Once it has had
/// one, it keeps the processors until it ends: otherwise they would end, and begin anew, whenever the other threads have ended.
/// Before the threads are more than the processors, Weir's own threads begin: later they would have to wait for those that spin.
void expect_another();
/// A thread that the program creates has a policy, a priority or an affinity of its own, or is a driver's: it is left to the
/// kernel.
void note_left_alone();
/// So many yields or switches between two looks are those of a thread that waits for others. One that has been found to poll
/// counts as one that has yielded so often.
inline constexpr std::uint32_t waits_often = 8;
/// A thread of the program that runs has been found to poll, or not. Thread-safe, and async-signal-safe.
void note_running_thread(bool polls);
/// The calling thread yields, perhaps because it waits for another one.
inline void note_yield() {
  if (body* const own = own_body_of_thread()) own->count_waits();
}
/// Does the monitor look whether other programs keep them from their processors?
bool are_watched();
/// How many there are now. Thread-safe.
unsigned program_threads_now();
/// How few processors they have had for that, and for how long, in nanoseconds. relaxed, both: numbers with which no other data
/// goes.
extern constinit std::atomic<unsigned> fewest_taken;
extern constinit std::atomic<std::uint64_t> time_with_fewer;
/// For the monitor: the threads have so many of their processors from now on, if those that share them on purpose do not say
/// otherwise; 0: all. Threads that poll are called in at once.
void take_processors(unsigned processors);
/// Has a thread with this number not ended yet, as far as is known here?
bool is_program_thread(pthread_t thread);

}  // namespace weir::threads
