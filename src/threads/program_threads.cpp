#include "threads/program_threads.hpp"

#include <memory>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#include "machine/kernel_mutex.hpp"
#include "threads/pool.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

constinit unsigned processors_for_all = 0;

namespace {

// The first thread, and those that the program has created and that have not ended. relaxed: a hint.
constinit std::atomic<unsigned> living{1};
// Seats are taken in turn. relaxed: a number of its own for each.
constinit std::atomic<unsigned> seats_taken{0};

/// Where kernel threads sleep while their bodies run elsewhere, with a guard page below each. Used again, since threads come and go.
class parking_places {
 public:
  static constexpr std::size_t guard = 4096, bytes = guard + parking_bytes;
  /// The end of it; null: the system refuses the memory.
  void* take() {
    {
      const std::lock_guard lock(mutex_);
      if (free_ != nullptr) return std::exchange(free_, *below(free_));
    }
    void* const whole = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (whole == MAP_FAILED) return nullptr;
    mprotect(whole, guard, PROT_NONE);
    return static_cast<char*>(whole) + bytes;
  }
  void give_back(void* end) {
    const std::lock_guard lock(mutex_);
    *below(end) = std::exchange(free_, end);
  }
  /// In the child of a fork.
  void forget() { mutex_.unlock(); }

 private:
  static void** below(void* end) { return static_cast<void**>(end) - 1; }
  kernel_mutex mutex_;
  void* free_ = nullptr;  // the end of the latest; each has that of the next one at its end
};
constinit parking_places parking;

struct adopted {
  body its;
  processor* seat = nullptr;
};
constinit thread_local adopted* mine = nullptr;
constinit thread_local bool has_ended = false;
pthread_key_t end_of_thread;

bool are_too_many() { return living.load(std::memory_order_relaxed) > processors_for_all; }

/// The calling thread may be attached from now on.
adopted* adopt_this_thread() {
  if (has_ended || own_body_of_thread() != nullptr || is_in_child() || why_no_processors() != nullptr) return nullptr;
  void* const place = parking.take();
  if (place == nullptr) return nullptr;
  mine = new adopted;
  mine->seat = helper(seats_taken.fetch_add(1, std::memory_order_relaxed) % processors_for_all);
  adopt(mine->its, place);
  pthread_setspecific(end_of_thread, mine);
  return mine;
}

bool take_seat() {
  if (!all_are_members() || (mine == nullptr && adopt_this_thread() == nullptr)) return false;
  if (mine->seat != nullptr) change_seat(mine->seat);
  return this_body != nullptr;
}

[[gnu::constructor]] void when_loaded() {
  pthread_key_create(&end_of_thread, [](void*) { end_program_thread(); });
  pthread_atfork(nullptr, nullptr, [] {
    parking.forget();
    living.store(1, std::memory_order_relaxed);
    processors_for_all = 0;  // the child has one thread, and its processors are gone
  });
}

}  // namespace

void make_all_members(unsigned processors) { processors_for_all = processors; }

bool comes_to_wait() {
  if (this_body != nullptr) return true;
  if (const body* const own = own_body_of_thread(); own != nullptr && own->home() != nullptr) {
    go_to(own->home());
    return this_body != nullptr;
  }
  return are_too_many() && take_seat();
}

bool leaves_to_block() {
  if (mine == nullptr || this_body != &mine->its || !are_too_many()) return false;
  change_seat(nullptr);
  return this_body == nullptr;
}

program_thread::program_thread() {
  living.fetch_add(1, std::memory_order_relaxed);
  take_seat();
}
program_thread::~program_thread() {
  end_program_thread();
  living.fetch_sub(1, std::memory_order_relaxed);
}

void end_program_thread() {
  has_ended = true;
  if (mine == nullptr) return;
  const std::unique_ptr<adopted> ended(std::exchange(mine, nullptr));
  pthread_setspecific(end_of_thread, nullptr);
  void* const place = ended->its.parking;
  abandon(ended->its);
  parking.give_back(place);
}

bool is_program_thread(pthread_t thread) {
  const claimant no_end_meanwhile;
  return claimant::body_of(thread) != nullptr;
}

}  // namespace weir::threads
