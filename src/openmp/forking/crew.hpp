// The workers of one thread: the threads that execute its regions with it.
//
// The primary thread releases the workers of a team into a region (the fork: the release half of a barrier), executes its own
// part, and waits until all of them have arrived at the region's end (the join: the arrival half). Between regions the
// workers wait for the next release. A crew keeps its workers and the teams that it has formed of them, so that a region
// costs these two phases and nothing else.
#pragma once

#include <map>
#include <optional>

#include "openmp/forking/fork_join.hpp"
#include "openmp/forking/region.hpp"
#include "openmp/placing/share.hpp"
#include "openmp/teams/known_reductions.hpp"
#include "openmp/teams/waiting.hpp"
#include "openmp/watching/explanation.hpp"
#include "system/inheritance.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

class crew {
 public:
  /// `of_program`: the crew belongs to a thread that the runtime has not created.
  explicit crew(bool of_program);
  ~crew();
  /// How many of `wanted` threads a region in such a team can have, the primary thread among them: fewer if the system refuses
  /// some.
  unsigned recruit(unsigned wanted, team_form form);
  team& of_size(unsigned size, team_form form);
  /// What has been chosen for a region of this place. Called once for each region, where teams may have seats.
  team_form form_at(const void* place, unsigned size, team_form usual);
  /// Executes the region with all members of that team; the caller is its primary thread, member 0.
  void execute(team& t, region run, void* what);
  /// The primary thread of a team of kernel threads arrives at a barrier, and the share has changed; `word`: share_word().
  /// Returns whether nothing is left to do until it changes again.
  bool follow_share(team& t, unsigned word);
  /// The two ends of execute(), for a caller that executes its own part between them.
  void fork(team& t, region run, void* what);
  void join(team& t);
  /// Tells the workers to end. The last thread to leave, the caller among them, deletes the crew.
  void dismiss();
  // A crew of the program's whose thread ends may wait for another thread's first region (kept_crews.hpp).
  /// Called by the thread, outside of regions. False: the workers are not as new ones of an equal thread would be, or may have
  /// no seats.
  bool loses_thread();
  /// The calling thread, which may_take_over() a processor, is the primary one from now on.
  void gets_thread();
  /// Instead of gets_thread(), by any thread: dismisses it.
  void dismiss_without_thread();
  const inheritance& gives() const { return *gives_; }  // what the workers have got from their creator
  std::size_t workers() const { return workers_.size(); }
  /// Of all crews.
  static int workers_alive();

 private:
  std::uint32_t episode() const { return release_word::episode_in(released_.load(std::memory_order_relaxed)); }
  /// The work that the workers execute.
  struct work_of_region {
    region run;
    void* what;
    team* of;
  };
  using phases = fork_join<native, work_of_region>;
  struct worker {
    crew* of = nullptr;
    unsigned number = 0;
    int processor = -1;                    // its home processor, if any
    phases::release_line* line = nullptr;  // where it waits for regions
    std::uint64_t seen = 0;                // the last word there before it was recruited
    bool passes_on = false;                // regions, to others
    std::unique_ptr<phases::flags> flags;
    std::atomic<bool> has_flags{false};
  };

  static void begin(void* its_worker);
  /// Where the worker waits, and where others wait for it: before it starts, and in its own thread.
  void join_release(worker& w, bool on_seat);
  static void make_flags(worker& w);
  threads::processor* first_seat(const worker& w, unsigned seats);
  int start(worker& w, unsigned seats);
  void assign_processors();
  void work(worker& w);
  void leave();
  void begin_in_seats(team& t);
  void drive();
  void stop_driving();
  void may_follow_share(team& t);
  void end_following(team& t);
  /// For fork_join: the flags of a worker, and how a member waits in a join.
  auto flags_of() {
    return [this](unsigned number) -> phases::flags& { return *flags_[number - 1]; };
  }
  auto at_join(member& me);
  unsigned recruited() const { return static_cast<unsigned>(flags_.size()); }

  std::optional<threads::driving> driving_;   // in a region with seats, the primary thread's
  bool seated_ = false;                       // did the last team have seats?
  team* last_ = nullptr;                      // the team that was last asked for, and its form
  team_form last_form_;
  phases phases_;
  // Not on the line of the last episode: workers read them, too.
  std::vector<phases::flags*> flags_;  // of each worker that has been recruited
  bool passes_on_ = false;             // are there workers that do not wait for the common line?
  // The last episode, with the size of its team. relaxed: written by the primary thread; others read only the number.
  alignas(line_bytes) std::atomic<std::uint64_t> released_{0};
  std::optional<primary_thread> primary_thread_;  // if it is a crew of the program's, and has a thread
  std::optional<inheritance> gives_;  // if all workers have got the same
  // Workers have got something that virtual processors do not have (threads::gives_own_state): they stay in their own kernel
  // threads.
  bool differs_ = false;
  threads::processor* without_thread_ = nullptr;  // the processor that belongs to the thread, while there is none
  std::vector<std::unique_ptr<worker>> workers_;  // the worker with number n is at n - 1
  std::unique_ptr<native_region_sites> sites_;  // null: nothing is chosen for regions
  std::optional<explained_sites> explains_;
  bool follows_share_ = false;  // in this region, members of a team of kernel threads go to virtual processors
  known_reductions reductions_;                 // how many values a construct combines is the same for all of its teams
  std::map<std::pair<unsigned, team_form>, std::unique_ptr<team>> teams_;  // by size and form
  // What the crew has learned about waiting for a release, and for arrivals.
  waiting::experience<native> between_regions_{awake_us()}, at_joins_{awake_us()};
  std::atomic<unsigned> left_{0};
};

}  // namespace weir::openmp
