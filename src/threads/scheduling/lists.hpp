// Which processors and bodies there are, behind one lock: for the files that make processors, claim them, hand them off and
// steal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <pthread.h>

#include "system/kernel_mutex.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/scheduling/spread.hpp"
#include "threads/support/mapped_memory.hpp"

namespace weir::threads {

/// All bodies of threads, but for those that drive a processor of their own, found by their threads.
class known_bodies {
 public:
  void add(body& b) {
    body*& first = first_of(b.thread);
    b.in_list_before = nullptr;
    b.in_list_behind = first;
    if (first != nullptr) first->in_list_before = &b;
    first = &b;
  }
  void remove(body& b) {
    if (b.in_list_before == nullptr && first_of(b.thread) != &b) return;  // it has been forgotten
    (b.in_list_before != nullptr ? b.in_list_before->in_list_behind : first_of(b.thread)) = b.in_list_behind;
    if (b.in_list_behind != nullptr) b.in_list_behind->in_list_before = b.in_list_before;
  }
  /// Null: none.
  body* of(pthread_t thread) {
    body* b = first_of(thread);
    while (b != nullptr && pthread_equal(b->thread, thread) == 0) b = b->in_list_behind;
    return b;
  }
  template <class Is>
  body* find(Is is) const {
    for (body* const first : first_)
      for (body* b = first; b != nullptr; b = b->in_list_behind)
        if (is(*b)) return b;
    return nullptr;
  }
  template <class What>
  void for_each(What what) const {
    find([&what](body& b) { return what(b), false; });
  }
  /// For those of some lists, from `list` on, in turn: `most` of them, and the others of the last list. True: for all.
  template <class What>
  bool for_some(std::size_t& list, std::size_t most, What what) const {
    std::size_t seen = 0, lists = 0;
    for (; lists < first_.size() && seen < most; ++lists, list = (list + 1) % first_.size())
      for (body* b = first_[list]; b != nullptr; b = b->in_list_behind, ++seen) what(*b);
    return lists == first_.size();
  }
  /// In the child of a fork. `own`: of the calling thread; null: none.
  void forget_all(body* own) {
    first_ = {};
    if (own != nullptr) own->in_list_before = own->in_list_behind = nullptr;
  }

 private:
  static constexpr unsigned bits = 7;
  // The numbers of the C library's threads are addresses, mostly 8 MiB apart.
  body*& first_of(pthread_t thread) { return first_[spread(thread, bits)]; }
  std::array<body*, 1u << bits> first_{};
};

// Not in the heap: the lists change under their lock.
using processors_in_list = std::vector<processor*, mapped_memory<processor*>>;

struct lists {
  processors_in_list helpers, stand_ins;
  processors_in_list processors;  // these, and the processors that threads of the program drive
  known_bodies bodies;
  // The processors of threads that have ended. Bodies may still have their seats there, and a thread that has pushed a body may
  // still read them. So these processors are reused, not freed.
  processors_in_list ended;
  unsigned threads_with_bodies =
      0;  // threads of the program that drive a processor of their own, or have a seat by use_processors()
  // Threads that had no body when they were cancelled. The latest only: a thread that is cancelled ends soon.
  std::array<pthread_t, 64> called_early{};
  unsigned called = 0;

  /// In the child of a fork. Writes only what has been used, and calls no function of the C library: both cost pages
  /// (fork_page.hpp).
  void forget_called() {
    for (std::size_t i = 0; i < std::min<std::size_t>(called, called_early.size()); ++i) called_early[i] = {};
  }
};

/// Held by claimants of a queue, too. A thread that holds it takes no memory from the heap, and creates no thread (maker.hpp).
extern constinit kernel_mutex pool_lock;
/// Created when the library is loaded, and never destroyed: threads may end after the program's objects.
extern constinit lists* pool;

/// A pointer, because the processor outlives the thread: it may still get bodies, which it sends to their own threads.
extern constinit thread_local processor* own_processor;

/// A processor that nobody drives. The caller holds the lock.
processor& unused_processor(bool is_helper);
/// A thread ends that has used processors. The caller holds the lock.
void end_to_use_processors();
/// Creates the thread that drives a helper or a stand-in until the end. False: the system refuses it. The caller does not hold
/// the lock.
bool begin_to_drive(processor& made);

}  // namespace weir::threads
