// The workers of one thread: the threads that execute its regions with it.
//
// The primary thread releases the workers of a team into a region (the fork: the release half of a barrier), executes its own
// part, and waits until all of them have arrived at the region's end (the join: the arrival half). Between regions the
// workers wait for the next release. A crew keeps its workers and the teams that it has formed of them, so that a region
// costs these two phases and nothing else.
#pragma once

#include <map>

#include "openmp/core/region.hpp"
#include "openmp/core/waiting.hpp"

namespace weir::openmp {

class crew {
 public:
  /// How many of `wanted` threads a region can have, the primary thread among them: fewer if the system refuses some.
  unsigned recruit(unsigned wanted);
  team& of_size(unsigned size);
  /// Executes the region with all members of that team; the caller is its primary thread, member 0.
  void execute(team& t, region run, void* what);
  /// The two ends of the same, for a caller that executes its own part between them.
  void fork(team& t, region run, void* what);
  void join(team& t);
  /// Tells the workers to end. The last thread to leave, the caller among them, deletes the crew.
  void dismiss();
  /// Of all crews.
  static int workers_alive();

 private:
  // What a worker waits for between regions: the number of the next episode and the team's size, in one word. See work().
  struct release_flag {
    std::atomic<std::uint64_t> word{0};
    gate waiters;
    void set(std::uint64_t what) {
      // release: the region, and all that the program did before it.
      word.store(what, std::memory_order_release);
      waiters.open();
    }
  };
  // What a member's parent in the arrival waits for: the last episode whose region the member and its children have executed.
  struct alignas(line_bytes) arrival_flag {
    std::atomic<std::uint32_t> episode{0};
    gate for_children;  // where this member waits for its children
  };
  struct worker {
    crew* of = nullptr;
    unsigned number = 0;
    int processor = -1;                      // that it is to live on, if any
    std::uint32_t since_episode = 0;         // the last one before it was recruited
    alignas(line_bytes) release_flag release;  // used if each worker has a flag of its own
    arrival_flag arrival;
  };

  static void* begin(void* its_worker);
  void assign_processors();
  void work(worker& w);
  void leave();
  std::uint64_t await_release(release_flag& flag, std::uint64_t seen, member* last);
  void release_children(const team& t, unsigned member, std::uint64_t word);
  void await(const arrival_flag& other, member& me, std::uint32_t episode);
  void await_children(member& me, std::uint32_t episode);
  void arrive(worker& w, member& me, std::uint32_t episode);
  arrival_flag& arrival_of(unsigned member) { return member == 0 ? primary_ : workers_[member - 1]->arrival; }

  // The flag of all workers, if they have one in common; and the region, which is written before any flag is set and is on
  // its line.
  alignas(line_bytes) release_flag release_;
  region run_ = nullptr;
  void* what_ = nullptr;
  team* team_ = nullptr;
  alignas(line_bytes) std::uint32_t episode_ = 0;
  std::vector<std::unique_ptr<worker>> workers_;  // the worker with number n is at n - 1
  std::map<unsigned, std::unique_ptr<team>> teams_;
  // What the crew has learned about waiting for a release, and for arrivals.
  waiting::experience<native> between_regions_{awake_us()}, at_joins_{awake_us()};
  arrival_flag primary_;  // member 0's; with an arrival by one counter, the last member sets it for all
  alignas(line_bytes) std::atomic<unsigned> arrived_{0};  // of an arrival by one counter
  std::atomic<unsigned> left_{0};
};

}  // namespace weir::openmp
