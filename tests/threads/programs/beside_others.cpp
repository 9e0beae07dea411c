// As many threads as processors, beside processes that compute all the time. Threads that wait for each other come to share
// virtual processors; threads that compute for themselves stay with the kernel. With an argument there is one more thread, which
// sleeps: then those that wait are members from the beginning, each alone on a virtual processor, and only a tick can find that
// they poll.
//
// usage: LD_PRELOAD=Weir's library WEIR_THREADS=all threads-beside_others [sleeper|creator]
//
// "creator": the threads that wait have been created by one that ends, and have all processors again then.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "../../../bench/threads/meeting.hpp"
#include "../../openmp/driving_thread.h"

namespace {

using clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(500), computing = std::chrono::seconds(2);

bool is_member() { return driving_thread() != gettid(); }

bench::meeting at;
std::atomic<unsigned> members{0};
std::atomic<bool> creator_has_ended{false};
bool are_too_many = false;
std::atomic<bool> ends{false};
std::vector<long> drivers;

/// By yielding. A thread that is called in while it polls would be known to poll.
void become_member() {
  while (!is_member()) sched_yield();
}

void wait_for_each_other(unsigned me, unsigned number, clock::time_point until) {
  if (are_too_many) become_member();
  while (!ends.load()) {
    for (int i = 0; i < 100; ++i) at.pass(number);
    drivers[me] = driving_thread();
    at.pass(number);
    if (me == 0) {
      if (std::set(drivers.begin(), drivers.end()).size() < number) members.store(1);
      if (members.load() != 0 || clock::now() > until) ends.store(true);
    }
    at.pass(number);
  }
}

void compute(clock::time_point until) {
  volatile double sum = 0;
  while (clock::now() < until)
    for (int i = 0; i < 10'000; ++i) sum = sum + i;
  if (is_member()) members.fetch_add(1);
}

template <class Run>
unsigned members_of(unsigned threads_wanted, Run run) {
  members = 0;
  ends = false;
  drivers.assign(threads_wanted, 0);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < threads_wanted; ++i) threads.emplace_back(run, i);
  run(0);
  for (std::thread& each : threads) each.join();
  return members;
}

/// The first thread, which stays with the kernel, has the others created by one that ends once they have come to share virtual
/// processors. True: these threads use as many of them as before then. The other processes end, too, since threads beside them
/// are seldom on two processors at once: one steals from another that is kept from its processor.
bool have_all_when_creator_ends(unsigned number, bench::busy_processes& others) {
  std::atomic<bool> have_shared{false}, have_all{false};
  std::atomic<unsigned> left{number};
  ends = false;
  drivers.assign(number, 0);
  std::thread([&] {
    for (unsigned i = 0; i < number; ++i)
      std::thread([&, i] {
        constexpr unsigned rounds_apart = 20;  // one that is stolen is apart until it waits
        unsigned apart = 0;
        const auto until = clock::now() + patience;
        while (!ends.load()) {
          for (int n = 0; n < 5; ++n) at.pass(number);
          drivers[i] = driving_thread();
          at.pass(number);
          if (i == 0) {
            const bool share = std::set(drivers.begin(), drivers.end()).size() < number;
            apart = share ? 0 : apart + 1;
            if (share) have_shared.store(true);
            if (creator_has_ended.load() && apart >= rounds_apart) have_all.store(true), ends.store(true);
            if (clock::now() > until) ends.store(true);
          }
          at.pass(number);
        }
        --left;
      }).detach();
    while (!have_shared.load() && left.load() == number) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }).join();
  others.end();
  creator_has_ended.store(true);
  while (left.load() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return have_shared.load() && have_all.load();
}

/// One that sleeps all the time, so that the threads are more than the processors: in the system, and without a seat beside
/// another thread.
class sleeper {
 public:
  sleeper() {
    if (pipe(ends_) != 0) std::abort();
    thread_ = std::thread([this] {
      char byte;
      while (read(ends_[0], &byte, 1) < 0) {
      }
    });
  }
  sleeper(const sleeper&) = delete;
  ~sleeper() {
    close(ends_[1]);
    thread_.join();
    close(ends_[0]);
  }

 private:
  int ends_[2];
  std::thread thread_;
};

}  // namespace

int main(int, char** words) {
  const unsigned processors = std::thread::hardware_concurrency();
  if (processors < 2) return 77;  // left out
  const std::string how = words[1] != nullptr ? words[1] : "";
  bench::busy_processes others(2 * processors);
  if (how == "creator") {
    cpu_set_t own;
    sched_getaffinity(0, sizeof own, &own);
    sched_setaffinity(0, sizeof own, &own);
    const bool right = have_all_when_creator_ends(processors, others);
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    std::puts(right ? "ok" : "the threads do not have all processors again");
    return 0;
  }
  const unsigned alone = members_of(processors, [](unsigned) { compute(clock::now() + computing); });
  const auto waiting = [&](unsigned me) { wait_for_each_other(me, processors, clock::now() + patience); };
  std::optional<sleeper> one;
  if (how == "sleeper") one.emplace(), are_too_many = true;
  const unsigned together = members_of(processors, waiting);
  one.reset();
  others.end();
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  std::printf(alone == 0 && together != 0 ? "ok\n" : "%u members compute; do those that meet share? %u\n", alone, together);
}
