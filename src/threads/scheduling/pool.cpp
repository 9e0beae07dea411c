#include "threads/scheduling/pool.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>
#include <utility>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <weir/machine/gate.hpp>

#include "system/detached_thread.hpp"
#include "system/end_of_thread.hpp"
#include "system/filter.hpp"
#include "system/fork_page.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/maker.hpp"
#include "threads/scheduling/rseq_areas.hpp"
#include "threads/support/code.hpp"
#include "threads/support/library_signals.hpp"
#include "threads/threads.hpp"

extern ElfW(Dyn) _DYNAMIC[] [[gnu::weak, gnu::visibility("hidden")]];

namespace weir::threads {

WEIR_WRITTEN_BY_FORKS constinit kernel_mutex pool_lock;
constinit lists* pool = nullptr;
constinit thread_local processor* own_processor = nullptr;
WEIR_WRITTEN_BY_FORKS constinit unsigned processors_for_all = 0;
WEIR_WRITTEN_BY_FORKS constinit std::atomic<bool> seats_are_open{false};
constinit std::atomic<unsigned> processors_used_now{0};

namespace {

// The list never gets shorter, so handlers may walk along it.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<processor*> last_made{nullptr};

void begins_to_drive(processor& p) {
  p.own().thread_pointer = thread_pointer();
  p.own().id = static_cast<pid_t>(raw_call(SYS_gettid));
  p.spare_area = spare_area();
  const bool is_new = p.thread.exchange(p.own().id, std::memory_order_relaxed) == 0;
  if (!is_new) return;
  p.made_before = last_made.load(std::memory_order_relaxed);
  // release: what it is.
  while (!last_made.compare_exchange_weak(p.made_before, &p, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void* drive(void* driven) {
  if (!gives_up_area()) keep_areas();                                 // first: an allocator may register one
  if (processors_for_all != 0) take_stack_for_ticks(whose::of_weir);  // else no body knows where its own stack lies
  processor& p = *static_cast<processor*>(driven);
  p.own().mask(all_signals);
  p.begins();
  p.has_mask(all_signals);
  begins_to_drive(p);
  // Not before it is known what this thread drives: setuid() in another thread would wait for ever for the mark of this one
  // (set_id.cpp). release: for the handler of its signal, in this thread.
  std::atomic_signal_fence(std::memory_order_release);
  this_body = &p.own();
  scheduled_by = &by_processors;
  p.begin_driving();
  p.drive_others();  // until the last thread that has a processor of its own ends
  p.end_driving();
  this_body = nullptr;
  p.close();
  give_back_stack_for_ticks();
  const std::lock_guard lock(pool_lock);
  pool->ended.push_back(&p);
  return nullptr;
}

/// Has the linker been told so, or is this the program itself?
bool is_never_unloaded() {
  if (_DYNAMIC == nullptr) return true;
  for (const ElfW(Dyn)* d = _DYNAMIC; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_FLAGS_1) return (d->d_un.d_val & (DF_1_NODELETE | DF_1_PIE)) != 0;
  return false;
}

/// Weir's own threads run code of this library until the process has no processors any more. The library is therefore never
/// unmapped, even if it is a plugin that the program closes. Done when it is loaded: while another library's initializer runs, it
/// holds the loader's lock, and may wait for a thread that begins to use processors.
[[gnu::constructor]] void stay_loaded() {
  if (is_never_unloaded()) return;
  Dl_info here;
  link_map* library = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&drive), &here, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) != 0 &&
      library != nullptr && library->l_name[0] != 0)
    dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// After the caller has been counted as one that uses processors.
void start_services() {
  know_system_code();
  start_monitor();
  start_maker();
  const std::lock_guard lock(pool_lock);
  interpose_set_id();
}

/// The caller holds the lock, and takes it out of the list of its kind.
void end_helper(processor& ended) {
  std::erase(pool->processors, &ended);
  run_queue::make_ready(ended.own(), nullptr);
}

void end_processor(void* ended) {
  own_processor = nullptr;
  end_given_up(*static_cast<processor*>(ended));
}

/// The caller holds the lock.
void becomes_own(processor& made) {
  own_processor = &made;
  body& own = made.own();
  own.is_pinned = !gives_up_area();
  own.detached_until = 0;
  own.thread = pthread_self();
  own.mask(exchange_mask(all_signals));
  exchange_mask(own.mask());
  made.has_mask(own.mask());
  begins_to_drive(made);
  at_end_of_thread(ending::processor, end_processor, &made);
  pool->processors.push_back(&made);
}

WEIR_WRITTEN_BY_FORKS constinit pid_t this_process = 0;

// The child of a fork has one kernel thread. The bodies of other threads are left alone, wherever they have stopped; the calling
// body is an ordinary thread from now on.
WEIR_RUN_BY_FORKS void begin_in_child() {
  this_process = static_cast<pid_t>(raw_call(SYS_getpid));
  scheduled_by = nullptr;
  this_body = nullptr;
  own_processor = nullptr;
  pool->helpers.clear();
  pool->stand_ins.clear();
  pool->processors.clear();
  pool->bodies.forget_all(own_body);
  pool->ended.clear();
  pool->threads_with_bodies = 0;
  pool->forget_called();
  forget_monitor();
  forget_signal_thread();
  forget_maker();
  pool_lock.unlock();
}

WEIR_RUN_BY_FORKS void before_fork() { pool_lock.lock(); }
WEIR_RUN_BY_FORKS void in_parent() { pool_lock.unlock(); }

alignas(lists) WEIR_WRITTEN_BY_FORKS constinit std::byte place_of_lists[sizeof(lists)] = {};

[[gnu::constructor]] void when_loaded() {
  this_process = getpid();
  pool = new (place_of_lists) lists;
  pthread_atfork(before_fork, in_parent, begin_in_child);
}

}  // namespace

/// A process ends with its last thread, so no helper may remain. Bodies that are still on the helpers' processors go to their own
/// threads. Sleeping bodies find these processors closed later, so processors are not freed. The caller holds the lock.
void end_to_use_processors() {
  if (pool->threads_with_bodies == 0) return;  // the only thread of a fork's child, which had a body before
  if (--pool->threads_with_bodies != 0) return;
  for (auto* const kind : {&pool->helpers, &pool->stand_ins}) {
    for (processor* const p : *kind) end_helper(*p);
    kind->clear();
  }
  stop_monitor();
  stop_signal_thread();
  stop_maker();
}

processor& unused_processor(bool is_helper) {
  const auto found = std::ranges::find_if(pool->ended, [](const processor* p) {
    return pool->bodies.find([p](const body& b) { return b.home() == p || b.where() == p; }) == nullptr;
  });
  processor* const p = found != pool->ended.end() ? *found : new_in_mapped_memory<processor>();
  if (found != pool->ended.end()) pool->ended.erase(found);
  p->is_helper.store(is_helper, std::memory_order_relaxed);
  p->stands_in = false;
  p->begins_anew();
  p->open();
  return *p;
}

bool begin_to_drive(processor& driven) { return start_service(drive, &driven); }

processor& here() {
  if (this_body != nullptr) return *this_body->where();
  if (own_processor == nullptr) {
    {
      const std::lock_guard lock(pool_lock);
      becomes_own(unused_processor(false));
      ++pool->threads_with_bodies;
      want_first_stand_in();
    }
    start_services();
  }
  return *own_processor;
}

bool is_own(const processor& p) { return own_processor == &p && !p.is_closed(); }

processor* give_up_own_processor(unsigned bodies) {
  processor* const given_up = own_processor;
  if (given_up->is_driven() || given_up->is_stood_in_for()) return nullptr;
  unsigned there = 0;
  const std::lock_guard lock(pool_lock);
  pool->bodies.for_each([&](const body& b) { there += b.home() == given_up || b.where() == given_up ? 1 : 0; });
  if (there != bodies) return nullptr;
  given_up->leaves_thread();
  std::erase(pool->processors, given_up);
  at_end_of_thread(ending::processor, nullptr, nullptr);
  own_processor = nullptr;
  return given_up;
}

bool may_take_over() {
  const bool has_seat = own_body != nullptr && (!own_body->is_adopted || own_body->home() != nullptr);
  return own_processor == nullptr && !has_seat && this_body == nullptr;
}

void take_over(processor& given_up) {
  const std::lock_guard lock(pool_lock);
  becomes_own(given_up);
}

void end_given_up(processor& given_up) {
  given_up.close();
  const std::lock_guard lock(pool_lock);
  std::erase(pool->processors, &given_up);
  pool->ended.push_back(&given_up);
  end_to_use_processors();
}

std::uint64_t end_stand_ins_at_rest(std::uint64_t since, std::uint64_t now) {
  constexpr std::uint64_t after = 1'000'000'000, never = ~std::uint64_t{0};
  // Nobody tells when one that acts for no seat has come to its sleep: its thread may wait for a processor meanwhile.
  const auto are_needed = [] { return std::ranges::all_of(pool->stand_ins, &processor::acts_for_seat); };
  if (are_needed()) return never;
  if (now < since + after) return since + after;
  std::erase_if(pool->stand_ins, [](processor* p) { return p->is_free() && (end_helper(*p), true); });
  return are_needed() ? never : now + after;
}

processor* driven_by(pid_t thread) {
  // The latest first: numbers of threads that have ended are used again. acquire: what it is.
  for (processor* p = last_made.load(std::memory_order_acquire); p != nullptr; p = p->made_before)
    if (p->thread.load(std::memory_order_relaxed) == thread) return p;
  return nullptr;
}

// In a function of its own: the data of who calls it are found by the thread pointer.
[[gnu::noinline]] static void call_as(void* own, const library_signal& of, siginfo_t* why, void* interrupted) {
  void* const of_body = thread_pointer();
  const signal_mask every = ~signal_mask{0};
  signal_mask before = 0;
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&every), as_argument(&before), sizeof every);
  set_thread_pointer(own);
  of.call_library(why, interrupted);
  set_thread_pointer(of_body);
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&before), 0, sizeof before);
}
void call_library_for_driver(const library_signal& of, pid_t thread, siginfo_t* why, void* interrupted) {
  if (processor* const drives = driven_by(thread)) call_as(drives->own().thread_pointer, of, why, interrupted);
}

bool drives_helper(int thread) {
  const processor* const driven = driven_by(thread);
  return driven != nullptr && driven->is_helper.load(std::memory_order_relaxed);
}

unsigned helpers_with_more_bodies() {
  unsigned some = 0;
  for (const processor* p = last_processor(); p != nullptr; p = p->made_before)
    some += p->is_helper.load(std::memory_order_relaxed) && !p->is_closed() && p->has_ready() ? 1 : 0;
  return some;
}

processor* last_processor() { return last_made.load(std::memory_order_acquire); }  // acquire: what it is

namespace {
processor* helper_locked(std::unique_lock<kernel_mutex>& lock, unsigned which) {
  return await_helpers(lock, which + 1) ? pool->helpers[which] : nullptr;
}
}  // namespace

processor* helper(unsigned which) {
  std::unique_lock lock(pool_lock);
  return helper_locked(lock, which);
}
processor* helper_beside(const processor& first, unsigned which) {
  std::unique_lock lock(pool_lock);
  const auto there = static_cast<std::size_t>(std::ranges::find(pool->helpers, &first) - pool->helpers.begin());
  return helper_locked(lock, there <= which && there < pool->helpers.size() ? which + 1 : which);
}

bool sleeps(const processor& seat) { return seat.sleeps(); }
void wake_up(processor& seat) { seat.wake_up(); }

const char* why_no_processors() {
  if (const char* why = why_not_any_more()) return why;
  if (const char* why = why_areas_are_kept()) return why;
  if (filter::forbids_members()) return "a filter ends the process at system calls that members need";
  futex_kernel::ask_for_fences();
  if (!futex_kernel::may_be_unguarded()) return "the system refuses membarrier(2), which interrupts members";
  if (all_are_pinned()) return "the program has priority-inheriting mutexes, whose owners the kernel must know";
  return monitor_can_run() ? nullptr : "the system refuses the thread that watches members";
}

bool may_drive() { return why_no_processors() == nullptr && (this_body != nullptr || gives_up_area()); }

void begin_to_monitor() {
  {
    const std::lock_guard lock(pool_lock);
    ++pool->threads_with_bodies;
  }
  start_services();
}
void end_to_monitor() {
  const std::lock_guard lock(pool_lock);
  end_to_use_processors();
}

processor* helper_that_is_there(unsigned which) {
  const std::lock_guard lock(pool_lock);
  return pool->helpers.empty() ? nullptr : pool->helpers[which % pool->helpers.size()];
}

bool begin_to_use_processors(bool only_if_others_do) {
  {
    const std::lock_guard lock(pool_lock);
    if (only_if_others_do && (pool->threads_with_bodies == 0 || pool->helpers.empty() || !signal_thread_is_there())) return false;
    ++pool->threads_with_bodies;
    want_first_stand_in();
  }
  if (only_if_others_do) return true;  // in a handler, where no thread can be created
  start_services();
  start_signal_thread();
  return true;
}
bool are_processors_used() {
  const std::lock_guard lock(pool_lock);
  return pool->threads_with_bodies != 0;
}
bool is_in_child() { return getpid() != this_process; }

}  // namespace weir::threads
