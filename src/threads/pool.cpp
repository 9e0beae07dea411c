#include "threads/pool.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <ranges>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "machine/detached_thread.hpp"
#include "machine/errno_kept.hpp"
#include "machine/kernel_mutex.hpp"
#include "threads/cancelled.hpp"
#include "threads/floating_point.hpp"
#include "threads/monitor.hpp"
#include "threads/process_signals.hpp"
#include "threads/program_threads.hpp"
#include "threads/set_id.hpp"
#include "threads/sleepers.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

namespace {

// A pointer, because the processor outlives the thread: it may still get bodies, which it sends to their own threads.
constinit thread_local processor* own_processor = nullptr;

constinit kernel_mutex making;  // claimants of a queue hold it, too
unsigned threads_with_bodies = 0;  // threads of the program that drive a processor of their own, or have a body by adopt()
// Threads that had no body when they were cancelled. The latest only: a thread that is cancelled ends soon.
constinit std::array<pthread_t, 64> called_early{};
unsigned called = 0;
// Created when the library is loaded, and never destroyed: threads may end after the program's objects. Memory is reserved at
// points where it may come from the heap, because the monitor must not allocate.
constinit std::vector<processor*>*helpers = nullptr, *stand_ins = nullptr, *all = nullptr;
constinit std::vector<body*>* bodies = nullptr;
// When a thread allocates for the first time, the C library maps an arena for it.
constexpr std::size_t reserved_bodies = 64;
// The processors of threads that have ended. Bodies may still have their seats there, and a thread that has pushed a body may
// still read them. So these processors are reused, not freed.
constinit std::vector<processor*>* ended = nullptr;

// The list never gets shorter, so handlers may walk along it.
constinit std::atomic<processor*> last_made{nullptr};

void begins_to_drive(processor& p) {
  p.own().thread_pointer = thread_pointer();
  p.own().id = static_cast<pid_t>(raw_call(SYS_gettid));
  const bool is_new = p.thread.exchange(p.own().id, std::memory_order_relaxed) == 0;
  if (!is_new) return;
  p.made_before = last_made.load(std::memory_order_relaxed);
  // release: what it is.
  while (!last_made.compare_exchange_weak(p.made_before, &p, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void* help(void* its) {
  processor& p = *static_cast<processor*>(its);
  this_body = &p.own();
  p.own().mask(all_signals);
  p.begins();
  p.has_mask(all_signals);
  begins_to_drive(p);
  scheduled_by = &by_processors;
  p.begin_driving();
  p.drive_others(p.own());  // until the last thread that has a processor of its own ends
  p.end_driving();
  this_body = nullptr;
  p.close();
  const std::lock_guard lock(making);
  ended->push_back(&p);
  return nullptr;
}

/// A processor that nobody drives. The caller holds `making`.
processor* unused_processor(bool is_helper) {
  const auto found = std::ranges::find_if(*ended, [](const processor* p) {
    return std::ranges::none_of(*bodies, [p](const body* b) { return b->home() == p || b->where() == p; });
  });
  processor* const p = found != ended->end() ? *found : new processor;
  if (found != ended->end()) ended->erase(found);
  p->is_helper = is_helper;
  p->stands_in = false;
  p->begins_anew();
  p->open();
  return p;
}

/// Weir's own threads run code of this library until the process has no processors any more. The library is therefore never
/// unmapped, even if it is a plugin that the program closes.
void stay_loaded() {
  Dl_info here;
  link_map* its = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&help), &here, reinterpret_cast<void**>(&its), RTLD_DL_LINKMAP) != 0 && its != nullptr &&
      its->l_name[0] != 0)
    dlopen(its->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// A processor with a thread that drives it until the end; null: the system refuses the thread. The caller holds `making`.
processor* made_for(std::vector<processor*>& kind) {
  const errno_kept around;  // of a body that waits, or arrives
  // Signals that the process gets are for the program's threads.
  sigset_t blocked;
  sigfillset(&blocked);
  processor* const p = unused_processor(true);
  p->sleeps_until_it_begins();
  p->stands_in = &kind == stand_ins;
  if (start_detached(help, p, 0, &blocked) != 0) {
    p->close();
    ended->push_back(p);
    return nullptr;
  }
  kind.push_back(p);
  all->push_back(p);
  return p;
}

// The monitor cannot create stand-ins, which would inherit its file descriptors. Each stand-in that is put to work creates the
// next one. relaxed: asked again.
constinit std::atomic<bool> stand_in_is_wanted{false};

/// A stand-in that has nothing to do; null: there will be one soon.
processor* free_stand_in() {
  processor* found = nullptr;
  for (processor* const p : *stand_ins) {
    if (!p->is_free()) continue;
    if (found != nullptr) return found;
    found = p;
  }
  stand_in_is_wanted.store(true, std::memory_order_relaxed);
  if (found != nullptr) return found;
  // Stand-ins that sleep act for threads that are still blocked; one of these stand-ins can create another.
  const auto asleep = std::ranges::find_if(*all, [](const processor* p) { return p->is_helper && p->sleeps(); });
  if (asleep != all->end()) (*asleep)->wake_up();
  return nullptr;
}

/// The caller holds `making`.
void begin_to_use_processors() {
  if (++threads_with_bodies == 1) stay_loaded();
  start_monitor();
  stand_before_set_id();
}

/// A process ends with its last thread, so no helper may remain. Bodies that are still on the helpers' processors go to their own
/// threads. Sleeping bodies find these processors closed later, so processors are not freed. The caller holds `making`.
void end_to_use_processors() {
  if (threads_with_bodies == 0) return;  // the only thread of a fork's child, which had a body before
  if (--threads_with_bodies != 0) return;
  for (auto* const kind : {helpers, stand_ins}) {
    for (processor* const p : *kind) {
      std::erase(*all, p);
      run_queue::make_ready(p->own(), nullptr);
    }
    kind->clear();
  }
  stop_monitor();
  stop_taker();
}

void end_processor(void* its) {
  own_processor = nullptr;
  auto* const mine = static_cast<processor*>(its);
  mine->close();
  const std::lock_guard lock(making);
  std::erase(*all, mine);
  ended->push_back(mine);
  end_to_use_processors();
}

pthread_key_t end_of_thread;

pid_t this_process = 0;
// relaxed: a body that sees it late goes to its kernel thread later.
constinit std::atomic<bool> pinned_all{false};

// The child of a fork has one kernel thread. The bodies of other threads are left alone, wherever they have stopped; the calling
// body is an ordinary thread from now on.
void begin_in_child() {
  this_process = getpid();
  scheduled_by = nullptr;
  this_body = nullptr;
  own_processor = nullptr;
  helpers->clear();
  stand_ins->clear();
  all->clear();
  bodies->clear();
  ended->clear();
  threads_with_bodies = 0;
  called_early = {};
  forget_monitor();
  forget_taker();
  making.unlock();
}

[[gnu::constructor]] void when_loaded() {
  this_process = getpid();
  helpers = new std::vector<processor*>;
  stand_ins = new std::vector<processor*>;
  all = new std::vector<processor*>;
  bodies = new std::vector<body*>;
  bodies->reserve(reserved_bodies);
  ended = new std::vector<processor*>;
  pthread_atfork([] { making.lock(); }, [] { making.unlock(); }, begin_in_child);
  pthread_key_create(&end_of_thread, end_processor);
}

}  // namespace

processor& here() {
  if (this_body != nullptr) return *this_body->where();
  if (own_processor == nullptr) {
    const std::lock_guard lock(making);
    own_processor = unused_processor(false);
    body& own = own_processor->own();
    own.is_pinned = false;
    own.thread = pthread_self();
    own.mask(exchange_mask(all_signals));
    exchange_mask(own.mask());
    own_processor->has_mask(own.mask());
    begins_to_drive(*own_processor);
    pthread_setspecific(end_of_thread, own_processor);
    all->push_back(own_processor);
    begin_to_use_processors();
  }
  return *own_processor;
}

processor* driven_by(pid_t thread) {
  // The latest first: numbers of threads that have ended are used again. acquire: what it is.
  for (processor* p = last_made.load(std::memory_order_acquire); p != nullptr; p = p->made_before)
    if (p->thread.load(std::memory_order_relaxed) == thread) return p;
  return nullptr;
}

processor* last_processor() { return last_made.load(std::memory_order_acquire); }  // acquire: what it is

processor& seat() { return this_body != nullptr && this_body->home() != nullptr ? *this_body->home() : here(); }

bool is_driving() { return own_processor != nullptr && own_processor->is_driven(); }

void close_own_processor() {
  if (own_processor != nullptr && !own_processor->is_driven()) own_processor->close();
}

processor* helper(unsigned which) {
  const std::lock_guard lock(making);
  while (helpers->size() <= which)
    if (made_for(*helpers) == nullptr) return nullptr;
  return (*helpers)[which];
}

bool sleeps(const processor& seat) { return seat.sleeps(); }
void wake_up(processor& seat) { seat.wake_up(); }

const char* why_no_processors() {
  if (const char* why = why_not_any_more()) return why;
  if (all_are_pinned()) return "the program has priority-inheriting mutexes, whose owners the kernel must know";
  return monitor_can_watch() ? nullptr : "the system refuses the thread that watches members";
}

void add_to_bodies(body& b, bool uses_processors) {
  const std::lock_guard lock(making);
  bodies->push_back(&b);
  if (const auto found = std::ranges::find(called_early, b.thread); found != called_early.end()) {
    *found = {};
    b.call_home();
  }
  if (!uses_processors) return;
  begin_to_use_processors();
  start_taker();
}
void remove_from_bodies(body& b, bool uses_processors) {
  const std::lock_guard lock(making);
  std::erase(*bodies, &b);
  if (uses_processors) end_to_use_processors();
}

bool steal_for(processor& mine) {
  const std::unique_lock lock(making, std::try_to_lock);
  return lock && std::ranges::any_of(*all, [&](processor* p) { return p != &mine && mine.steal(*p); });
}

processor* idle_helper() {
  const std::unique_lock lock(making, std::try_to_lock);
  if (!lock) return nullptr;
  // There may be more of them, for teams.
  const auto of_program = *helpers | std::views::take(processors_for_all);
  const auto found = std::ranges::find_if(of_program, [](const processor* p) { return p->sleeps() && !p->has_ready() && !p->is_stood_in_for(); });
  return found != of_program.end() ? *found : nullptr;
}

// Takes no memory from the heap: a body of this processor may hold the heap's lock.
void live_apart(const processor& mine) {
  const errno_kept around;
  const std::unique_lock lock(making, std::try_to_lock);
  if (!lock || std::ranges::find(*helpers, &mine) == helpers->end()) return;
  // Not by the functions of the C library, which would change the member's affinity (kernel_state.cpp), and tell what the program
  // shall hear.
  const auto get = [](cpu_set_t& mask) {
    CPU_ZERO(&mask);
    return raw_call(SYS_sched_getaffinity, 0, sizeof mask, as_argument(&mask)) > 0;
  };
  const auto set = [](const cpu_set_t& mask) { return raw_call(SYS_sched_setaffinity, 0, sizeof mask, as_argument(&mask)) == 0; };
  cpu_set_t allowed;
  if (!get(allowed)) return;
  cpu_set_t free = allowed;
  bool shared = false;
  for (const processor* p : *all) {
    const int its = p != &mine && !p->is_stood_in_for() ? p->runs_on() : -1;
    if (its < 0) continue;
    CPU_CLR(static_cast<std::size_t>(its), &free);
    shared |= its == mine.runs_on();
  }
  if (!shared || CPU_COUNT(&free) == 0) return;
  std::size_t to = 0;
  while (!CPU_ISSET(to, &free)) ++to;
  cpu_set_t one, now;
  CPU_ZERO(&one);
  CPU_SET(to, &one);
  if (!set(one)) return;
  // A mask that others have set meanwhile stays.
  if (get(now) && CPU_EQUAL(&now, &one)) set(allowed);
}

body* body_with_mask() { return this_body != nullptr ? this_body : own_processor != nullptr ? &own_processor->own() : nullptr; }

void note_mask(signal_mask now) {
  const without_preemption to_the_end;
  body& mine = *body_with_mask();
  mine.mask(now);
  mine.where()->has_mask(now);
  take_signals_for(mine);
  if (mine.is_summoned()) mine.take_signals();
}

void go_home_if_called() {
  body* const me = this_body;
  if (me == nullptr || !me->is_called_home()) return;
  const without_preemption to_the_end;
  me->take_signals();
}

namespace {
/// A thread of the program that belongs on a processor goes there, rather than driving one.
bool is_on_processor_or_returns() {
  if (this_body == nullptr && !is_driving())
    if (const body* const own = own_body_of_thread(); own != nullptr && own->is_adopted && own->home() != nullptr) go_to(own->home());
  return this_body != nullptr;
}
}  // namespace

// A thread that has given its processor away, to a stand-in, does not drive it in an inner region.
driving::driving() : outermost_(!is_on_processor_or_returns() && !is_driving()), before_(scheduled_by) {
  if (!outermost_) return;
  processor& mine = here();
  this_body = &mine.own();
  scheduled_by = &by_processors;
  mine.own().may_move.store(static_cast<std::uint32_t>(moves::to_stand_in), std::memory_order_relaxed);
  mine.begin_driving();
  if (mine.own().stays_pinned() || all_are_pinned()) [[unlikely]] give_away_own_processor();
}

driving::~driving() {
  if (!outermost_) return;
  own_processor->end_driving();
  this_body = nullptr;
  scheduled_by = before_;
  native::displaced(false);
}

void give_away_own_processor() {
  processor& mine = *own_processor;
  {
    const without_preemption to_the_end;
    mine.own().may_move.store(static_cast<std::uint32_t>(moves::nowhere), std::memory_order_relaxed);
    const std::lock_guard lock(making);
    processor* other;
    while ((other = free_stand_in()) == nullptr)
      if (made_for(*stand_ins) == nullptr) return;  // the monitor then watches it like any other
    mine.seen.blocked = true;
    mine.hand_off(*other);
    scheduled_by = nullptr;
    native::displaced(true);
  }
  this_body = nullptr;
}

bool is_in_child() { return getpid() != this_process; }
bool all_are_pinned() { return pinned_all.load(std::memory_order_relaxed); }

void pin_all() {
  if (!all_are_pinned() && !is_in_child()) {
    const claimant no_sender_meanwhile;
    pinned_all.store(true, std::memory_order_relaxed);
    const auto send_home = [](body& b) {
      if (&b == this_body) return;
      b.call_home();
      wake_body(b);
    };
    for (body* const b : *bodies)
      if (b->where() != nullptr) send_home(*b);
    for (processor* const p : *all)
      if (p->own().may(moves::to_stand_in)) send_home(p->own());
  }
  pin();
}

claimant::claimant() { making.lock(); }
claimant::~claimant() { making.unlock(); }

void make_stand_in() {
  stand_in_is_wanted.store(false, std::memory_order_relaxed);
  const std::lock_guard lock(making);
  // The last thread may have ended meanwhile, and with it all helpers: nobody would end this one.
  if (threads_with_bodies != 0 && std::ranges::none_of(*stand_ins, &processor::is_free)) made_for(*stand_ins);
}
void make_wanted_stand_in() {
  if (stand_in_is_wanted.load(std::memory_order_relaxed)) [[unlikely]] make_stand_in();
}

processor* claimant::at(std::size_t which) { return which < all->size() ? (*all)[which] : nullptr; }

namespace {
template <class Is>
body* body_that(Is is) {
  for (body* const b : *bodies)
    if (is(*b)) return b;
  for (processor* const p : *all)
    if (!p->is_helper && is(p->own())) return &p->own();
  return nullptr;
}
}  // namespace
void claimant::for_each_body(const std::function<void(const body&)>& what) {
  for (const body* const b : *bodies) what(*b);
}
body* claimant::body_of(pthread_t thread) {
  return body_that([&](const body& b) { return pthread_equal(b.thread, thread) != 0; });
}
body* claimant::body_of(pid_t id) {
  return body_that([&](const body& b) { return b.id == id; });
}

void claimant::call_home(pthread_t thread) {
  if (body* const its = body_of(thread)) {
    stand_before_cancellation();
    its->call_home();
    wake_body(*its);
    if (processor* const on = its->where()) {
      on->seen.cancelled = 0;
      on->has_cancelled.store(true, std::memory_order_relaxed);
      hurry_monitor();
    }
  } else {
    called_early[called++ % called_early.size()] = thread;
  }
}

bool claimant::has_called_home(const processor& on) {
  return std::ranges::any_of(*bodies, [&on](const body* b) { return b->where() == &on && b->is_called_home(); });
}

namespace {

/// A body blocks. If many bodies have been found blocked lately, the others soon will be, and each costs the bodies of its
/// processor the time until the next look.
void note_blocked(body& found) {
  const std::uint64_t now = native::ticks();
  const auto lately = in_ticks(while_us);
  const auto times_of_late = [&](const body& b) {
    return now - b.blocked_at.load(std::memory_order_relaxed) < lately ? b.blocked.load(std::memory_order_relaxed) : 0;
  };
  found.blocked.store(times_of_late(found) + 1, std::memory_order_relaxed);
  found.blocked_at.store(now, std::memory_order_relaxed);
  std::size_t attached = 0, block = 0;
  const auto for_each = [](auto what) {
    for (body* const b : *bodies)
      if (b->where() != nullptr) what(*b);
    for (processor* const p : *all)
      if (p->own().may(moves::to_stand_in)) what(p->own());
  };
  for_each([&](const body& b) {
    ++attached;
    block += times_of_late(b) >= 2 ? 1 : 0;
  });
  if (block >= 2 && 4 * block >= attached) for_each([](body& b) { b.call_home_for_a_while(); });
}

}  // namespace

void claimant::hand_off(processor& from, std::uint32_t switched, bool blocked) {
  // If there is none the first time, the stand-in that was taken last creates one, unless the system refuses.
  const bool asked = stand_in_is_wanted.load(std::memory_order_relaxed);
  processor* const other = free_stand_in();
  if (other == nullptr && !asked) return;
  if (!from.claim(switched)) return;
  if (blocked) note_blocked(*from.current());
  if (other != nullptr) return from.run_queue::hand_off(*other);
  from.detach_all();
  from.unclaim();
}

void hand_off_to_block() {
  // Held: a handler has interrupted a change of the queue.
  if (this_body == nullptr || this_body->held.load(std::memory_order_relaxed) != 0) return;
  const without_preemption to_the_end;
  if (this_body == nullptr) return;
  processor& from = *this_body->where();
  if (from.is_stood_in_for() || !from.has_ready()) return;
  const std::lock_guard lock(making);
  processor* const other = free_stand_in();
  if (other == nullptr) return;  // there will be one when the monitor looks
  note_blocked(*this_body);
  from.seen.blocked = true;
  from.run_queue::hand_off(*other);
}

}  // namespace weir::threads
