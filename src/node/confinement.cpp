#include "node/confinement.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <dirent.h>
#include <unistd.h>

#include "system/clocks.hpp"
#include "system/raw_call.hpp"
#include "system/read_by_kernel.hpp"
#include "system/run_delay.hpp"
#include "system/stat_field.hpp"

namespace weir::node {

namespace {

// On one processor with several others a thread has more than this in the time between two looks.
constexpr std::uint64_t computing_ns = 500'000;
constexpr const char* all_threads = "/proc/self/task";

pid_t this_thread() { return static_cast<pid_t>(raw_call(SYS_gettid)); }
bool get_mask(pid_t thread, processor_set& mask) {
  mask = {};
  return raw_call(SYS_sched_getaffinity, thread, sizeof mask.words, as_argument(mask.words.data())) > 0;
}
void set_mask(pid_t thread, const processor_set& mask) {
  raw_call(SYS_sched_setaffinity, thread, sizeof mask.words, as_argument(mask.words.data()));
}

/// Where a thread has run last [proc(5)].
std::optional<unsigned> processor_of(pid_t thread) {
  char path[64], text[1024];
  std::snprintf(path, sizeof path, "%s/%d/stat", all_threads, static_cast<int>(thread));
  const std::size_t got = text_by_kernel(path, text);
  if (got == 0) return std::nullopt;
  constexpr unsigned processor = 39;
  unsigned number = processor_set::none;
  if (const char* const at = stat_field(text, processor); at != nullptr) std::from_chars(at, text + got, number);
  return number;
}

/// Has the first thread of the process ended, while others go on? The kernel then has no list of its robust mutexes any more,
/// which the C library gives to each thread. /proc would show it, too, but is not everywhere, and the process would not end.
bool first_has_ended() {
  const void* list = nullptr;
  std::size_t bytes = 0;
  return raw_call(SYS_get_robust_list, getpid(), as_argument(&list), as_argument(&bytes)) == 0 && list == nullptr;
}

/// Puts the thread on one of these processors, without binding it to them.
void move(pid_t thread, const processor_set& to, const processor_set& usable) {
  processor_set mask;
  if (!get_mask(thread, mask) || mask != usable) return;
  set_mask(thread, to);
  // A mask that the program has set meanwhile stays.
  if (get_mask(thread, mask) && mask == to) set_mask(thread, usable);
}

}  // namespace

std::string confinement::why_not() {
  return access(all_threads, R_OK) == 0 ? "" : std::string(all_threads) + ": " + std::strerror(errno);
}

confinement::activity confinement::look(kind_of of, bool asks_delays) {
  for (thread& t : threads_) t.is_there = false;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir(all_threads), closedir);
  const pid_t me = this_thread();
  activity now_active;
  for (const dirent* d; tasks != nullptr && (d = readdir(tasks.get())) != nullptr;) {
    pid_t id = 0;
    const char* const end = d->d_name + std::strlen(d->d_name);
    if (std::from_chars(d->d_name, end, id).ptr != end || id == me) continue;
    auto found = std::ranges::lower_bound(threads_, id, {}, &thread::id);
    const bool is_new = found == threads_.end() || found->id != id;
    if (is_new) found = threads_.insert(found, {.id = id, .what = kind::usual});
    const std::uint64_t used = processor_time(id);
    const bool computes = used > found->used && used - found->used >= computing_ns;
    found->used = used;
    const auto times = computes && asks_delays ? run_times_of(id) : std::nullopt;
    const auto delayed = times ? std::optional(times->delayed) : std::nullopt;
    if (const auto before = std::exchange(found->delayed, delayed); before && delayed) now_active.delayed += *delayed - *before;
    now_active.computing += computes;
    found->is_there = true;
    found->what = of(id);
  }
  std::erase_if(threads_, [](const thread& t) { return !t.is_there; });
  first_is_there_ = !first_has_ended();
  return now_active;
}

// A thread begins with the mask of the one that has created it. The system cuts masks where processors go away. A thread that
// moves restores the mask that it has found, perhaps the one before.
bool confinement::is_ours(const thread& t, const processor_set& mask, const processor_set& usable) const {
  if (t.what == kind::always || mask == usable) return true;
  return (in_force_ || before_ != usable) && (t.is_new || t.confined) && (mask == (last_ & usable) || mask == before_);
}

void confinement::confine(thread& t, const processor_set& granted, const processor_set& usable) const {
  processor_set mask;
  const bool ours = get_mask(t.id, mask) && is_ours(t, mask, usable);
  t.is_new = false;
  if (!ours) return;
  if (mask != granted) set_mask(t.id, granted);
  t.confined = true;
}

void confinement::keep_to(const processor_set& granted, const processor_set& usable) {
  // Once more after the last grant: a thread that it has confined may have created another one meanwhile.
  if (granted.empty() || (granted == usable && !in_force_ && (before_.empty() || before_ == usable))) return;
  for (thread& t : threads_) {
    if (t.what == kind::never || starts(t.id)) continue;
    if (t.id != getpid()) {
      confine(t, granted, usable);
    } else if (granted != usable) {
      const auto on = processor_of(t.id);
      if (on && !granted.has(*on)) move(t.id, granted, usable);
    }
  }
  before_ = last_;
  last_ = granted;
  usable_ = usable;
  in_force_ = granted != usable;
}

void confinement::end() {
  if (in_force_) keep_to(usable_, usable_);
  threads_.clear();
}

void confinement::free_child() const {
  processor_set mask;
  if (in_force_ && get_mask(0, mask) && (mask == last_ || mask == before_)) set_mask(0, usable_);
}

bool confinement::starts(pid_t id) const { return std::ranges::find(starting_, id) != starting_.end(); }

// A look before the start would change the mask back. The child of a vfork() is not looked at, and will not come to end_start():
// it is another program then. Where more threads than these start programs at once, a look may still come between.
void confinement::begin_start() {
  const auto free = std::ranges::find(starting_, 0);
  if (raw_call(SYS_getpid) == process_ && free != starting_.end()) *free = this_thread();
  free_child();
}
void confinement::end_start() {
  if (const auto found = std::ranges::find(starting_, this_thread()); found != starting_.end()) *found = 0;
}

}  // namespace weir::node
