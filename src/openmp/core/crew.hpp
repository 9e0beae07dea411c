// The threads that wait for one thread's regions.
#pragma once

#include <map>

#include "openmp/core/team.hpp"

namespace weir::openmp {

class crew {
 public:
  /// How many of `wanted` threads a region can have, the caller among them: fewer where the system refuses.
  unsigned recruit(unsigned wanted);
  team& of_size(unsigned size);
  /// Executes the region with the whole of that team; the caller is its member 0.
  void execute(team& t, region run, void* what);
  /// The two ends of it, between which the caller executes its part itself.
  void open(team& t, region run, void* what);
  void close(team& t);
  /// Tells the threads to end; who leaves last, the caller among them, deletes the crew.
  void dismiss();
  /// Of all crews.
  static int workers_alive();

 private:
  // Episode and team size in one word: who is not in the team must not look at the rest, which is then the next region's.
  struct call {
    std::atomic<std::uint64_t> word{0};
    gate heard;
    void make(std::uint64_t what) {
      // release: the region, and all that the program did before it.
      word.store(what, std::memory_order_release);
      heard.open();
    }
  };
  // A member as it joins: the episode whose region it has executed, it and its children.
  struct alignas(line_bytes) seat {
    std::atomic<std::uint32_t> joined{0};
    gate joining;  // where it waits for its children
  };
  struct worker {
    crew* of = nullptr;
    unsigned number = 0;
    int home = -1;                    // the processor that it shall live on, if any
    std::uint32_t recruited = 0;      // after this episode
    alignas(line_bytes) call called;  // where each has a word of its own
    seat joins;
  };

  static void* begin(void* its_worker);
  void give_homes();
  void work(worker& w);
  void leave();
  std::uint64_t wait_for_call(call& c, std::uint64_t seen, bool shared);
  void tell(const team& t, unsigned member, std::uint64_t word);
  void wait_for(const seat& other, const team& t, seat& mine, std::uint32_t episode);
  void wait_for_children(const team& t, unsigned member, std::uint32_t episode);
  void join(const team& t, worker& w, std::uint32_t episode);
  seat& seat_of(unsigned member) { return member == 0 ? first_ : workers_[member - 1]->joins; }

  alignas(line_bytes) call call_;  // on its line too: what is called for, written before
  region run_ = nullptr;
  void* what_ = nullptr;
  team* with_ = nullptr;
  alignas(line_bytes) std::uint32_t episode_ = 0;
  std::vector<std::unique_ptr<worker>> workers_;  // the worker of number n is at n - 1
  std::map<unsigned, std::unique_ptr<team>> teams_;
  // Members of a region that wait for it, and who waits for them.
  waiting::experience<native> between_{awake_us()}, joining_{awake_us()};
  seat first_;  // of member 0, who opens the regions
  alignas(line_bytes) std::atomic<unsigned> arrived_{0};  // of a central join
  std::atomic<unsigned> recruited_{1};
  std::atomic<unsigned> left_{0};
};

}  // namespace weir::openmp
