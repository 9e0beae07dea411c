// The interface of this room: everything that other rooms use.
//
// A thread that start() has created runs where it goes: on a virtual processor, its seat, or as a kernel thread. The processors
// are helpers, and those that threads of the program drive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir {
struct scheduling;
}

namespace weir::threads {

class processor;
struct body;

/// The first two words of a body, which go_to() compares in place.
/// relaxed, both: they travel with the body, from the thread that hands it over to the thread that takes it.
template <class Pointer>
struct whereabouts {
  Pointer on{nullptr};    // where the body runs, or is to run; null: in its own kernel thread
  Pointer seat{nullptr};  // where the body belongs; null: in its own kernel thread
};

/// The body of the calling thread; null: no virtual processor drives the thread, and the thread drives none.
extern constinit thread_local body* this_body;

// ---- may there be any?

/// Can a program set its thread pointer on this machine, and may it switch stacks? Null: yes; otherwise the reason why not.
const char* why_not_here();
/// The same as far as it is known already, without asking the kernel. Thread-safe.
const char* why_not_any_more();
/// The program may use tiles (AMX) from now on: no team of members begins any more, since the switch leaves tiles where they are.
void tiles_are_permitted();
/// Null: bodies may run on processors in this process; else why not. Thread-safe.
const char* why_no_processors();
/// May bodies run there for the calling thread, and the thread drive one? If so, it has given up its area for restartable
/// sequences.
bool may_drive();
/// How many threads are the kernel's, because they have registered an area for restartable sequences themselves? And null, or why
/// no thread can give up the C library's any more (scheduling/rseq_areas.hpp). Thread-safe.
unsigned threads_with_own_area();
const char* why_areas_are_kept();
/// Tells where the C library has the offset and the size of a thread's area for restartable sequences
/// (scheduling/rseq_areas.hpp).
void rseq_is_at(const std::ptrdiff_t* offset, const unsigned* size);

// ---- seats

/// The processor that drives the calling thread, or the thread's own processor; if another processor drives it just now, its
/// seat.
processor& seat();
/// The processors of the process besides those that its threads drive themselves: `which` counts from 0. Null: the system
/// refuses a thread. Thread-safe.
processor* helper(unsigned which);
/// The seats of a team besides `first`, which may be a helper itself: `which` counts from 0, and leaves out `first`. Null and
/// threads as above.
processor* helper_beside(const processor& first, unsigned which);
/// Does its kernel thread sleep, because it has nothing to do? A hint. This function and the next are thread-safe.
bool sleeps(const processor& seat);
/// Wakes its kernel thread to look for bodies, also to steal those of other processors.
void wake_up(processor& seat);

/// How many helpers have bodies that could run? A hint, without any lock. Thread-safe.
unsigned helpers_with_more_bodies();
/// Bodies wait in the kernel for their program's turn (openmp/placing/share.hpp), or not any more: meanwhile nobody takes their
/// processors from them. Thread-safe.
void wait_for_turns(bool so);
/// Does this kernel thread drive one of the helpers, or stand in for one? Thread-safe.
bool drives_helper(int thread);

// ---- threads for them

/// Creates a thread that begins with `run(what)` on that processor, or detached if `on` is null. The thread ends detached.
/// `stack_bytes`: 0 is the system's default. Returns 0, or the reason why the system refuses (errno). Thread-safe.
int start(void (*run)(void*), void* what, processor* on, std::size_t stack_bytes);

/// Has start() made the calling thread?
bool is_started();
/// Does a virtual processor drive the calling thread, or does the thread drive one?
inline bool is_on_processor() { return this_body != nullptr; }

/// The calling thread, which has a body of its own, goes on there; null: detached.
void change_seat(processor* seat);
/// The same. Inlined: it costs two comparisons if the thread is there already. A body begins with its whereabouts, and a
/// processor with the run queue that they point to. To compilers a pointer to void may be any other one.
inline void go_to(processor* seat) {
  const auto* const me = reinterpret_cast<const whereabouts<std::atomic<void*>>*>(this_body);
  if (me == nullptr || me->on.load(std::memory_order_relaxed) != seat || me->seat.load(std::memory_order_relaxed) != seat)
    change_seat(seat);
}

// ---- the program's own

/// When the threads that the program creates become members: where they are more than their processors; or where, besides, some
/// of them poll, for which no kernel knows the reason.
enum class seats_for { all_that_wait, some_that_poll };
/// From now on the threads that the program creates become members, on this number of processors, where they are more than that
/// (program_thread.hpp). `adapts`: where other programs keep them from these processors, they take fewer (deprivation.hpp).
void make_all_members(unsigned processors, bool adapts, seats_for which = seats_for::all_that_wait);
/// May they take seats now? Thread-safe.
bool program_threads_are_members();
/// The calling thread never takes a seat, if it has none yet: it has a policy or an affinity of its own, or is no thread of the
/// program.
void keep_in_kernel();
/// Are there threads or virtual processors yet? Otherwise all that come have what the first thread has then.
bool others_are_there();
/// Has the calling thread a kernel state of its own that the threads that it creates inherit (scheduling/own_state.hpp)? It has
/// changed that state itself while there were others, or has inherited it from a thread that has.
extern constinit thread_local bool gives_own_state;
/// Would a virtual processor that the calling thread makes inherit what only this thread has? Then another thread makes it.
bool passes_on_own_state();
/// They have this number of these processors from now on. Thread-safe.
void let_members_have(unsigned processors);
/// Called once, when a thread of the program is about to create another one. Null: nobody asks.
extern constinit std::atomic<void (*)()> tell_of_first_thread;
/// Called by a kernel thread that is about to start a program, which inherits its affinity mask, and when it has, or could not.
/// Null: nobody asks.
struct told_of_starts {
  void (*begins)();
  void (*ends)();
};
extern constinit std::atomic<const told_of_starts*> tell_of_starts;
/// Called before _exit(), which runs no destructors: async-signal-safe. Null: nobody asks.
extern constinit std::atomic<void (*)()> tell_of_early_end;

/// How many signals of ticks have come without what they ask: too many signals of the user's are pending. Thread-safe.
unsigned signals_without_reason();

/// What has become of the program's threads until now.
struct history_of_threads {
  unsigned processors = 0;  // 0: its threads are not to be members
  unsigned most_at_once = 0, threads = 0, members = 0;  // members: that have ever been on a virtual processor
  bool await_polling = false;  // nobody has been found to poll, and so nobody has taken a seat
  unsigned left_alone = 0;  // with a policy, a priority or an affinity of their own, or a driver's
  // Beside other programs (deprivation.hpp): the fewest processors that they have had, and for how long they have had fewer than
  // all; 0: all.
  unsigned fewest = 0;
  double seconds_with_fewer = 0;
  const char* why_none = nullptr;
};
/// Thread-safe.
history_of_threads program_threads_so_far();

/// During the lifetime of this object the calling thread drives its own processor. For a thread that is a body, or that already
/// drives a processor, it does nothing.
class driving {
 public:
  driving();
  driving(const driving&) = delete;
  ~driving();

 private:
  const bool outermost_;
  const scheduling* const before_;
};

/// If the calling thread has a processor of its own, the thread will not drive it, because others are to drive the thread's body.
/// Inside of a region of its own it does nothing: there the thread, or a stand-in, drives the processor.
void close_own_processor();

// ---- a processor whose thread ends, for another thread

/// Does this processor belong to the calling thread, and is it open?
bool is_own(const processor& p);
/// The calling thread, which start() has made, has a seat, blocks these signals, and the program has changed nothing else of what
/// the kernel or the C library keeps of it.
bool is_as_started(std::uint64_t signals);
/// The calling thread ends, and has a processor of its own that it does not drive: it leaves this processor, with its bodies, to
/// another thread. Null: another number of bodies than `bodies` have their seats there. As long as there is such a processor,
/// helpers do not end.
processor* give_up_own_processor(unsigned bodies);
/// Does the calling thread neither have a processor of its own nor a seat?
bool may_take_over();
/// From now on it belongs to the calling thread.
void take_over(processor& given_up);
/// Nobody takes it over: its bodies go on in their own kernel threads.
void end_given_up(processor& given_up);

}  // namespace weir::threads
