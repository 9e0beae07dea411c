// A team of Weir's runtime: the templates of src/openmp over the simulated machine.
#pragma once

#include <memory>

#include "barriers/registry.hpp"
#include "openmp/forking/fork_join.hpp"
#include "openmp/teams/half.hpp"
#include "openmp/teams/posts.hpp"
#include "simulator/openmp/members.hpp"
#include "simulator/openmp/team.hpp"
#include "simulator/simulated.hpp"

namespace weir::simulator::openmp {

class weirs_team final : public team {
 public:
  weirs_team(const machine_model& m, unsigned members);

  void parallel(const body& executed) override;
  void work(unsigned member) override;
  void dismiss() override;
  void barrier(unsigned member) override;
  void made_here() override;

  // As the interfaces call them (gomp/loops.cpp, kmpc/reductions.cpp); each belongs to the thread of that member.

  /// Does the member execute this single construct?
  bool takes_single(unsigned member);
  void begin_loop(unsigned member, const weir::openmp::loop_plan& plan);
  weir::openmp::iterations next_chunk(unsigned member);
  weir::openmp::iterations next_ordered_chunk(unsigned member);
  void begin_ordered(unsigned member);
  void end_loop(unsigned member);
  /// Begins the team's one doacross nest, with this number of iterations.
  void begin_doacross(unsigned member, std::uint64_t iterations);
  void wait_for_post(std::uint64_t iteration);
  void post(std::uint64_t iteration) { nest_.iterations.post(iteration); }
  void end_doacross() { nest_.leave<kind_of_slot>(0, size); }
  /// Adds the member's value to the program's variable, as code of LLVM's compiler asks for it: by atomic updates in a team of up
  /// to 16, else along the tree.
  void reduce(unsigned member, std::uint64_t value);
  std::uint64_t reduced() const { return sum_.in_memory(); }
  /// What a task computes, by its executor and its data; to be said before the first task.
  void tasks_compute(std::function<void(unsigned, std::uint64_t)> what) { tasks_.compute = std::move(what); }
  void generate_task(unsigned member, std::uint64_t data = 1) { tasks_.generate(its_.members[member], data); }
  void taskwait(unsigned member) { tasks_.finish_children(its_.members[member]); }
  const member& member_of(unsigned number) const { return its_.members[number]; }

 private:
  /// What the crew writes before each release: the function, its argument, the team.
  struct work_of_region {
    std::uint64_t run, what, of;
  };
  struct region {
    simulated::word<std::uint64_t> run{0}, what{0}, of{0};
    region& operator=(const work_of_region& executed) {
      run.store(executed.run);
      what.store(executed.what);
      of.store(executed.of);
      return *this;
    }
    work_of_region loaded() const { return {run.load(), what.load(), of.load()}; }
  };
  using phases = weir::openmp::fork_join<simulated, region>;
  using experience = waiting::experience<simulated>;

  struct worker {
    phases::release_line* line = nullptr;
    std::unique_ptr<phases::flags> flags;
  };

  struct kind_of_slot {
    template <class Word, class Ready>
    static void wait(const Word& word, Ready ready) {
      if (!simulated::spin(word, ready, 100)) simulated::yield_until(word, ready);  // as wait_awake() in teams/constructs.hpp
    }
    static bool abandoned(const member&, std::uint32_t, unsigned) { return false; }
    static bool all_leave() { return true; }
    static void clear_away(weir::openmp::slot<simulated>&) {}
  };
  using posts = weir::openmp::posts<simulated>;
  struct nest : weir::openmp::slot<simulated> {
    struct alignas(line_bytes) page {
      posts::byte bytes[posts::in_page];
    };
    posts iterations;
    std::unique_ptr<page[]> pages;
  };

  auto flags_of() {
    return [this](unsigned number) -> phases::flags& { return *workers_[number - 1].flags; };
  }
  void release(std::uint64_t word, const work_of_region& executed);
  auto await(experience& learned, member& me);
  void wait_for_turn(const member& me);

  const body* executed_ = nullptr;
  std::uint32_t episode_ = 0;
  const weir::openmp::half arrival_;
  phases phases_;
  const std::unique_ptr<worker[]> workers_;
  experience between_regions_, at_joins_;
  std::unique_ptr<any_barrier> barrier_;
  shared its_;
  team_tasks tasks_;
  nest nest_;
  alignas(line_bytes) simulated::word<std::uint64_t> sum_{0};
};

}  // namespace weir::simulator::openmp
