// The threads that wait for one thread's regions.
#pragma once

#include <map>

#include "team.hpp"

namespace weir::openmp {

class crew {
 public:
  /// How many of `wanted` threads a region can have, the caller among them: fewer where the system refuses.
  unsigned recruit(unsigned wanted);
  team& of_size(unsigned size);
  /// Executes the region with the whole of that team; the caller is its member 0.
  void execute(team& t, region run, void* what);
  /// Tells the threads to end; who leaves last, the caller among them, deletes the crew.
  void dismiss();
  /// Of all crews.
  static int workers_alive();

 private:
  // Episode and team size in one word: who is not in the team must not look at the rest, which is then the next region's.
  struct alignas(line_bytes) call {
    std::atomic<std::uint64_t> word{0};
    region run = nullptr;
    void* what = nullptr;
    team* with = nullptr;
    gate forked;
  };
  struct alignas(line_bytes) worker {
    crew* of = nullptr;
    unsigned number = 0;
    std::atomic<std::uint32_t> joined{0};  // the episode whose region it has executed
  };

  static void* begin(void* its_worker);
  void work(worker& w);
  void leave();
  std::uint64_t wait_for_call(std::uint64_t seen);

  call call_;
  std::uint32_t episode_ = 0;
  std::vector<std::unique_ptr<worker>> workers_;  // the worker of number n is at n - 1
  std::map<unsigned, std::unique_ptr<team>> teams_;
  // Members of a region that wait for it, and who waits for them.
  waiting::experience<native> between_, joining_;
  alignas(line_bytes) gate joined_;
  std::atomic<unsigned> recruited_{1};
  std::atomic<unsigned> left_{0};
};

}  // namespace weir::openmp
