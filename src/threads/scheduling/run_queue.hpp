// A run queue: the bodies that wait for a virtual processor, and how processors hand bodies to each other.
//
// The thread that drives a processor changes the processor's queue by plain stores, in the name of the running body. Other
// threads push bodies that they make ready to a list of arrivals, which the driving thread takes over. Two others may also change
// the queue, but only while the running body cannot reach it: a processor without work steals half of the ready bodies, and the
// monitor (monitor.hpp) hands all of them to a stand-in when the kernel thread is blocked in the body's system call. Both claim
// the queue first:
//
//   claimant:  claimed = 1;  fence in all threads of the process (membarrier);  is the running body held, or another one now?
//   body:      held = 1;     (for the compiler)                                 is the queue claimed?  then held = 0, and wait
//
// So a body pays a test, and a claimant pays a system call. A queue that nobody drives is held.
//
//                        seat                       A body's seat is where it belongs. It returns there when it waits, or to the
//         body ------------------------> queue      seat's stand-in, if it has one. The blocked kernel thread keeps its body,
//          |                               |        which ends the hand-off where it comes to the queue again: reclaim().
//          | on                            | stand-in
//          '----> queue  <-----------------'
//
// The text is a template over a machine, so that the explorer checks it (tests/explorer/run_queue_test.cpp). A machine has words
// and pointers (std::atomic natively), fences, a way to sleep and to wake, and it lets a body go on in its own kernel thread.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

#include "threads/scheduling/runnable.hpp"

namespace weir::threads {

template <class Machine>
class basic_run_queue {
 public:
  using runnable = basic_runnable<Machine>;
  template <class T>
  using word = typename Machine::template word<T>;
  template <class T>
  using pointer = typename Machine::template pointer<T>;

  // ---- called by the thread that drives the processor, in the name of a body that is held

  void append(runnable& b) {
    b.next.store(nullptr, std::memory_order_relaxed);
    if (runnable* const last = last_.load(std::memory_order_relaxed))
      last->next.store(&b, std::memory_order_relaxed);
    else
      first_.store(&b, std::memory_order_relaxed);
    last_.store(&b, std::memory_order_relaxed);
  }

  /// Takes the body that is to run next; null: none is ready.
  runnable* take() {
    // relaxed: take_arrived() acquires.
    if (arrived_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] take_arrived();
    runnable* const b = first_.load(std::memory_order_relaxed);
    if (b == nullptr) return nullptr;
    runnable* const second = b->next.load(std::memory_order_relaxed);
    first_.store(second, std::memory_order_relaxed);
    if (second == nullptr) last_.store(nullptr, std::memory_order_relaxed);
    return b;
  }

  /// From now on this body runs.
  void runs(runnable& b) {
    current_.store(&b, std::memory_order_release);  // release: its `held`
    // After that: a claimant that has the new count must find the new body. The last one may not be held any more, where it has
    // gone. relaxed: for claimants, which have a fence.
    switches_.store(switches_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  bool is_stood_in_for() const { return stand_in_.load(std::memory_order_relaxed) != nullptr; }
  /// The thread is back from a call in which it was blocked, so the stand-in must stop. The stand-in returns the bodies when the
  /// body that it runs next waits.
  void reclaim() {
    stand_in_.store(nullptr, std::memory_order_relaxed);  // relaxed: bodies travel by push()
    Machine::has_made_ready();                            // the monitor looks whether that body waits by spinning
  }

  /// Is it a stand-in for a seat that has been reclaimed, and has it not returned the bodies yet?
  bool has_bodies_of_others() const {
    // relaxed: a reclaim that is seen late only delays bodies.
    const basic_run_queue* const of = stands_in_for_.load(std::memory_order_relaxed);
    return of != nullptr && of->stand_in_.load(std::memory_order_relaxed) != this;
  }
  /// Called by a stand-in before it goes on: bodies of a seat that has been reclaimed return there.
  void return_bodies() {
    if (!has_bodies_of_others()) return;
    stands_in_for_.store(nullptr, std::memory_order_relaxed);
    send_all_but([this](runnable& b) { return target(b) == this; });
  }

  /// Does a body that waits stay on this queue?
  bool is_place_of(const runnable& b) const {
    basic_run_queue* const seat = b.seat.load(std::memory_order_relaxed);
    return seat != nullptr && seat->acting() == this;
  }

  /// If the body became ready, would only this queue's thread run it? Then it may be woken before it has stopped here. Otherwise
  /// the thread of its seat, or of the stand-in, might run the body while it still runs here.
  bool alone_runs(const runnable& b) const {
    basic_run_queue* const seat = b.seat.load(std::memory_order_relaxed);
    return seat == this && !is_stood_in_for();
  }

  /// Called when no body is ready. Returns when one may be.
  void await_arrival() {
    asleep_.store(1, std::memory_order_relaxed);
    // seq_cst: either the thread that pushes a body sees that this thread is asleep, or this thread sees the body.
    Machine::full_fence();
    while (arrived_.load(std::memory_order_relaxed) == nullptr && asleep_.load(std::memory_order_relaxed) == 1)
      Machine::sleep_while(asleep_, 1);
    asleep_.store(0, std::memory_order_relaxed);
  }

  /// Called before the running body, which is held, blocks in the system. False: bodies are ready here, for whom the caller finds
  /// a stand-in. Otherwise the thread that pushes one asks for a stand-in, until no_longer_blocks().
  bool blocks_alone() {
    blocks_.store(alone, std::memory_order_relaxed);
    // seq_cst: either the thread that pushes a body sees that this thread blocks, or this thread sees the body.
    Machine::full_fence();
    if (!has_ready()) return true;
    no_longer_blocks();
    return false;
  }
  // relaxed, all: a request that is seen late only costs time, since the monitor looks in any case.
  void asks_for_stand_in() { blocks_.store(beside_others, std::memory_order_relaxed); }
  void no_longer_blocks() { blocks_.store(not_at_all, std::memory_order_relaxed); }
  /// For claimants: is a stand-in wanted? Then it is there from now on; asked once more if a signal's handler has left the call.
  bool wants_stand_in() const { return blocks_.load(std::memory_order_relaxed) == beside_others; }
  void has_stand_in() {
    std::uint32_t asked = beside_others;
    blocks_.compare_exchange_strong(asked, not_at_all, std::memory_order_relaxed);
  }

  /// At the end of driving: nobody would run bodies here any more, so stolen bodies return to their seats.
  void return_stolen() {
    send_all_but([this](runnable& b) { return b.seat.load(std::memory_order_relaxed) == this || !b.may(moves::anywhere); });
  }

  /// Nobody drives the processor from now on: bodies that are ready, or arrive later, go on in their own kernel threads.
  void close() {
    if (is_closed()) return;
    while (runnable* const b = take()) to_own_thread(*b);
    // acquire: as in take_arrived().
    for_each_of(arrived_.exchange(closed(), std::memory_order_acquire), to_own_thread);
  }
  // relaxed, both: called by the thread that closes and opens the queue.
  bool is_closed() const { return arrived_.load(std::memory_order_relaxed) == closed(); }
  void open() {
    if (is_closed()) arrived_.store(nullptr, std::memory_order_relaxed);
  }

  /// Before another thread drives the queue that nobody drives: this one stands in for no other, as at first.
  void begins_anew() {
    stand_in_.store(nullptr, std::memory_order_relaxed);
    stands_in_for_.store(nullptr, std::memory_order_relaxed);
  }

  // ---- called by any thread

  /// The body becomes ready where it belongs. The caller hands it over; `me`: the calling body, which is held; null: none.
  static void make_ready(runnable& b, runnable* me) {
    basic_run_queue* const to = target(b);
    b.on.store(to, std::memory_order_relaxed);
    if (to == nullptr) return Machine::go_on_in_own_thread(b);
    if (me != nullptr && me->on.load(std::memory_order_relaxed) == to)
      to->append(b);
    else
      to->push(b);
    Machine::has_made_ready();
  }

  // relaxed, all: hints, except for callers that have executed a fence.
  bool has_ready() const {
    return first_.load(std::memory_order_relaxed) != nullptr || arrived_.load(std::memory_order_relaxed) != nullptr;
  }
  bool sleeps() const { return asleep_.load(std::memory_order_relaxed) != 0; }
  std::uint32_t switches() const { return switches_.load(std::memory_order_relaxed); }
  runnable* current() const { return current_.load(std::memory_order_acquire); }  // acquire: its `held`

  /// Lets a thread that sleeps look for bodies once more.
  void wake_up() {
    if (!sleeps()) return;
    asleep_.store(0, std::memory_order_relaxed);
    Machine::wake(asleep_);
  }

  bool is_claimed() const { return claimed_.load(std::memory_order_acquire) != 0; }  // acquire: what the claimant did
  void await_end_of_claim() const {
    Machine::yield_until(claimed_, [](std::uint32_t now) { return now == 0; });
  }

  // ---- called by claimants, one at a time, under a lock

  /// True: until unclaim(), the running body does not stop, and the queue belongs to the caller. False: the running body can
  /// reach the queue by itself, because it is held, or because it has begun to run since the count of switches was `switched`.
  bool claim(std::uint32_t switched) {
    ask_for_claim();
    if (Machine::fence_everywhere() && is_granted(switched)) return true;
    unclaim();
    return false;
  }
  /// The same for several queues, with one fence everywhere between the two.
  void ask_for_claim() { claimed_.store(1, std::memory_order_relaxed); }
  bool is_granted(std::uint32_t switched) const {
    // acquire: the queue. If there was no switch, the same body runs as before the fence; bodies end only while nobody claims.
    return current()->held.load(std::memory_order_acquire) == 0 && switches() == switched;
  }
  void unclaim() { claimed_.store(0, std::memory_order_release); }  // release: the queue

  /// The thread of this queue, which has claimed `other`, takes half of the ready bodies there. It leaves a body that has come
  /// back from a thief since that queue last switched, because such a body only waits. True: it has taken some.
  bool steal_from(basic_run_queue& other) {
    return steal_from(other, [](runnable&) { return true; });
  }
  /// The same, of those that may go.
  template <class MayGo>
  bool steal_from(basic_run_queue& other, MayGo may_go) {
    if (other.arrived_.load(std::memory_order_relaxed) != nullptr) other.take_arrived();
    const std::uint32_t switched = other.switches();
    unsigned ready = 0, taken = 0;
    for (runnable* b = other.first_.load(std::memory_order_relaxed); b != nullptr; b = b->next.load(std::memory_order_relaxed))
      ++ready;
    other.for_all([&](runnable& b) {
      if (!b.may(moves::anywhere) || b.stolen_at.load(std::memory_order_relaxed) == switched || taken >= (ready + 1) / 2 ||
          !may_go(b))
        return other.append(b);
      b.stolen_at.store(switched, std::memory_order_relaxed);
      b.on.store(this, std::memory_order_relaxed);
      append(b);
      ++taken;
    });
    return taken != 0;
  }

  /// Called for a claimed queue whose thread is blocked: all bodies of the queue go on at an idle stand-in. Ends the claim.
  void hand_off(basic_run_queue& to) {
    basic_run_queue* const seat = stands_in_for_.load(std::memory_order_relaxed);
    basic_run_queue* const of = seat != nullptr ? seat : this;
    basic_run_queue* acts = seat != nullptr ? this : nullptr;
    to.stands_in_for_.store(of, std::memory_order_relaxed);
    // Not if the seat has been reclaimed. relaxed: bodies travel by push().
    of->stand_in_.compare_exchange_strong(acts, &to, std::memory_order_relaxed);
    send_all_but([](runnable& b) { return !b.may(moves::to_stand_in); });
    unclaim();
    // seq_cst: either the thread that pushes a body here sees the stand-in, or the caller sees the body.
    Machine::full_fence();
    forward_arrived();
  }

  /// The queue counts as asleep until its thread begins, which takes the bodies that have arrived meanwhile.
  void sleeps_until_it_begins() { asleep_.store(1, std::memory_order_relaxed); }
  void begins() { asleep_.store(0, std::memory_order_relaxed); }
  /// The same if there is no stand-in: the bodies go on in their own kernel threads.
  void detach_all() {
    if (arrived_.load(std::memory_order_relaxed) != nullptr) take_arrived();
    for_all([this](runnable& b) { b.may(moves::anywhere) ? to_own_thread(b) : append(b); });
  }

  /// Does this queue act for a seat? It does until reclaim(), which tells the monitor.
  bool acts_for_seat() const {
    const basic_run_queue* const of = stands_in_for_.load(std::memory_order_relaxed);
    return of != nullptr && of->stand_in_.load(std::memory_order_relaxed) == this;
  }
  /// May this queue, which is no body's seat, become a stand-in?
  bool is_free() const { return sleeps() && !has_ready() && !acts_for_seat(); }

 private:
  static runnable* closed() { return Machine::template mark<runnable>(); }

  basic_run_queue* acting() {
    basic_run_queue* const other = stand_in_.load(std::memory_order_relaxed);
    return other != nullptr ? other : this;
  }
  const basic_run_queue* acting() const { return const_cast<basic_run_queue*>(this)->acting(); }
  /// Where a body is to run; null: in its own kernel thread.
  static basic_run_queue* target(const runnable& b) {
    basic_run_queue* const seat = b.seat.load(std::memory_order_relaxed);
    return seat == nullptr || !b.may(moves::to_stand_in) ? seat : seat->acting();
  }
  static void to_own_thread(runnable& b) {
    b.on.store(nullptr, std::memory_order_relaxed);
    Machine::go_on_in_own_thread(b);
  }

  void push(runnable& b) {
    const bool follows = b.may(moves::to_stand_in);  // asked now: once it is pushed, it may end
    runnable* latest = arrived_.load(std::memory_order_relaxed);  // relaxed: looked at again below
    do {
      if (latest == closed()) return to_own_thread(b);
      b.next.store(latest, std::memory_order_relaxed);
      // release: what the caller did, for the body.
    } while (!arrived_.compare_exchange_strong(latest, &b, std::memory_order_release));
    // seq_cst: as in await_arrival(), in blocks_alone(), in hand_off(), and where the monitor stops.
    Machine::full_fence();
    if (follows && is_stood_in_for()) [[unlikely]] forward_arrived();
    if (blocks_.load(std::memory_order_relaxed) == alone) [[unlikely]] ask_for_stand_in();
    wake_up();
  }

  // Not by a store, which would outlive the end of the call.
  void ask_for_stand_in() {
    std::uint32_t was = alone;
    if (blocks_.compare_exchange_strong(was, beside_others, std::memory_order_relaxed)) Machine::wants_stand_in();
  }

  // Not inline, so that take() is short enough to be.
  [[gnu::noinline]] void take_arrived() {
    // acquire: what the senders did, and where bodies that come from elsewhere have stopped.
    append_in_order(arrived_.exchange(nullptr, std::memory_order_acquire));
  }
  void append_in_order(runnable* latest) {
    runnable* in_order = nullptr;
    for_each_of(latest, [&](runnable& b) {
      b.next.store(in_order, std::memory_order_relaxed);
      in_order = &b;
    });
    for_each_of(in_order, [this](runnable& b) { append(b); });
  }

  /// Called by any thread while the queue's own thread is blocked: bodies that have arrived go on elsewhere.
  void forward_arrived() {
    runnable* latest = arrived_.load(std::memory_order_relaxed);
    do {
      if (latest == nullptr || latest == closed()) return;
      // acquire: as in take_arrived().
    } while (!arrived_.compare_exchange_strong(latest, nullptr, std::memory_order_acquire));
    for_each_of(latest, [](runnable& b) {
      basic_run_queue* const to = target(b);
      b.on.store(to, std::memory_order_relaxed);
      to->push(b);
    });
  }

  template <class What>
  void for_all(What what) {
    runnable* const bodies = first_.load(std::memory_order_relaxed);
    first_.store(nullptr, std::memory_order_relaxed);
    last_.store(nullptr, std::memory_order_relaxed);
    for_each_of(bodies, what);
  }
  /// The others become ready where they belong.
  template <class Stays>
  void send_all_but(Stays stays) {
    if (arrived_.load(std::memory_order_relaxed) != nullptr) take_arrived();
    for_all([&](runnable& b) { stays(b) ? append(b) : make_ready(b, nullptr); });
  }

  // Changed by the queue's thread, or by a claimant in its place.
  alignas(line_bytes) pointer<runnable> first_{nullptr};
  pointer<runnable> last_{nullptr};
  // The queue that acts in place of this one; null: none. Claimants set it, and the thread of this queue resets it.
  pointer<basic_run_queue> stand_in_{nullptr};
  pointer<basic_run_queue> stands_in_for_{nullptr};
  // The running body, and the number of switches so far.
  pointer<runnable> current_{nullptr};
  word<std::uint32_t> switches_{0};
  word<std::uint32_t> claimed_{0};  // not zero: bodies that are about to change the queue wait
  // Bodies that other threads have made ready, the last one first.
  alignas(line_bytes) pointer<runnable> arrived_{nullptr};
  word<std::uint32_t> asleep_{0};  // 1: the kernel thread sleeps, or is about to
  // Does the running body block in the system, or is it about to?
  enum : std::uint32_t { not_at_all, alone, beside_others };
  word<std::uint32_t> blocks_{not_at_all};
};

}  // namespace weir::threads
