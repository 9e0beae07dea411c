// A thread that waits for a priority-inheriting mutex lends its priority to the owner, which the kernel must know: all are
// served.
#include "team.hpp"

#include <atomic>
#include <memory>

namespace {

class inheriting {
 public:
  inheriting() {
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    CHECK(pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT) == 0);
    CHECK(pthread_mutex_init(&mutex_, &how) == 0);
    pthread_mutexattr_destroy(&how);
  }
  inheriting(const inheriting&) = delete;
  void lock() { CHECK(pthread_mutex_lock(&mutex_) == 0); }
  void unlock() { CHECK(pthread_mutex_unlock(&mutex_) == 0); }

 private:
  pthread_mutex_t mutex_;
};

template <bool Meets>
void take_turns(inheriting& lock, long& turns) {
  for (int i = 0; i < 100; ++i) {
    lock.lock();
    ++turns;
    compute(50e-6);
    lock.unlock();
    if (Meets) meet();
  }
}

template <bool Meets>
void of_all_members() {
  inheriting lock;
  long turns = 0;
  team([&](int) { take_turns<Meets>(lock, turns); });
  CHECK(turns == 100L * members);
}

// When members have been there for a while.
void made_between_regions() {
  for (int i = 0; i < 3; ++i) team([](int) { meet(); });
  of_all_members<true>();
}

void made_by_a_member() {
  std::unique_ptr<inheriting> lock;
  long turns = 0;
  team([&](int me) {
    for (int i = 0; i < 10; ++i) meet();
    if (me == 1) lock = std::make_unique<inheriting>();
    meet();
    take_turns<true>(*lock, turns);
  });
  CHECK(turns == 100L * members);
}

// Those that look for it do not wait before they lock it.
void locked_at_once() {
  std::atomic<inheriting*> published{nullptr};
  std::unique_ptr<inheriting> lock;
  long turns = 0;
  team([&](int me) {
    for (int i = 0; i < 10; ++i) meet();
    if (me == 1) {
      compute(1e-3);
      lock = std::make_unique<inheriting>();
      published = lock.get();
    }
    while (published == nullptr) {
    }
    take_turns<false>(*lock, turns);
  });
  CHECK(turns == 100L * members);
}

}  // namespace

int main() {
  subject("a mutex and barriers", of_all_members<true>);
  subject("a mutex alone", of_all_members<false>);
  subject("made between regions", made_between_regions);
  subject("made by a member", made_by_a_member);
  subject("locked at once", locked_at_once);
  return verdict();
}
