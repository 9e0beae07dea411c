// SPDX-License-Identifier: Apache-2.0
// The fast interface: a barrier whose members are numbered 0 .. P-1.
//
//   weir::team_barrier b(8);                                        // the best for this machine; it learns which while it runs
//   weir::team_barrier b(8, {.algorithm = "mcs", .waiting = "spin"});          // by name
//   weir::team_barrier<weir::barriers::mcs, weir::waiting::spin> b(8);         // by type, inlined
//   ...
//   b.arrive_and_wait(my_number);
//
// Memory: everything that a member did before arrive_and_wait happens before everything that any member does after it. (Each
// algorithm, and the executor of plans, states the reason for each memory order.) Thread safety: at any time only one thread may
// use a number; different numbers may be used concurrently. A barrier must not be constructed or destroyed while it is used: all
// members must have returned.
#pragma once

#if __cplusplus <= 201703L
#error "Weir needs C++20: compile with -std=c++20"
#else

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/barriers/completion.hpp>
#include <weir/barriers/condvar.hpp>
#include <weir/barriers/counter.hpp>
#include <weir/barriers/distributed.hpp>
#include <weir/barriers/distributed_sensor.hpp>
#include <weir/barriers/planned.hpp>
#include <weir/barriers/properties.hpp>
#include <weir/barriers/sense.hpp>
#include <weir/barriers/sensor.hpp>
#include <weir/machine/native.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir {

class topology;
struct machine_profile;

/// A name that is the same in C++, in C, on the command line and in records.
struct named {
  std::string name;
  std::string about;
};
/// A name, and properties of the barrier.
struct algorithm : named {
  bool halves;       ///< can its arrival phase and its release phase be run apart?
  bool logarithmic;  ///< does its critical path grow with log P?
  bool by_messages;  ///< can processes pass it by messages, without shared memory?
  bool placed;       ///< does it ask which processor each member is bound to, and do little without an answer?
};
/// All barriers (without "auto"), and all waiting policies, that team_barrier takes by name; it also takes plans by levels, as
/// "levels:8by6down6-pairs" (barriers/plans.hpp), for at most plans::most_by_levels members. Both functions are thread-safe, and
/// may throw std::bad_alloc.
std::vector<algorithm> algorithms();
std::vector<named> waitings();
/// The two phases of a barrier that is no plan, or nothing for a plan, for a barrier whose phases cannot be run apart, and for
/// an unknown name. Thread-safe.
std::optional<central_phases> central_phases_of(std::string_view algorithm);

struct team_options {
  std::string algorithm = "auto";
  std::string waiting = "auto";
  std::vector<int> placement = {};  ///< the processor that each member is bound to; empty: unknown
  /// How many processors the members may use together, where the system cannot know it (other processes of the same job use the
  /// rest); 0: as many as this process may use.
  unsigned processors = 0;
  unsigned radix = 2;               ///< of dissemination
  unsigned fan_in = 2;              ///< of the arrival tree of "tree"
  unsigned fan_out = 2;             ///< of its release tree
  /// How long "auto" waits awake on a processor that no other thread wants, in microseconds; negative: not at all.
  std::optional<double> awake_us = {};
  /// Does the kernel schedule the members? False for members of a crowd or the like: "auto" then takes no profile's barrier,
  /// which was measured with threads of the kernel.
  bool kernel_threads = true;
  /// Other work of members that wait by "auto" (waiting.hpp); null: none. The work must outlive the barrier.
  work_of_members* work = nullptr;
  /// Does the algorithm "auto" try other barriers while the members run (candidates(), below)? Members with other work try none.
  bool learns = true;
};

/// The choice of "auto", and the reason. If the user named the barrier, the reason is "as asked".
struct choice {
  std::string algorithm;
  std::string waiting;
  std::string reason;
};
/// For this team on this machine: what the machine's profile says (profile.hpp), or else the papers' findings. Thread-safe.
choice choose(const team& t);
/// By the papers' findings alone (docs/measurements has ours); or by a profile's, if it has one for this team on these
/// processors. Pure.
choice choose(const team& t, const topology& machine);
/// The choice, and behind it the barriers that "auto" tries while the members run: none where a profile has decided, where
/// members share processors, and for members that the kernel does not schedule. Thread-safe; by the papers' findings alone: pure.
std::vector<choice> candidates(const team& t);
std::vector<choice> candidates(const team& t, const topology& machine);
std::optional<choice> choose(const team& t, const machine_profile& known, std::span<const int> processors);

/// What trials of other barriers have taken so far.
struct trial_record {
  std::uint64_t episodes = 0;  ///< by other barriers than the chosen one
  double lost_us = 0;          ///< that these episodes took longer
};

struct any_barrier;  // of any algorithm and policy (src/barriers/registry.hpp)
template <class Machine>
class judge;         // which of several stays in use (src/barriers/learning.hpp)

namespace barriers {
/// Stands for "decided at run time" in team_barrier's type.
template <class Machine, template <class> class Waiting>
class by_name;
}  // namespace barriers

/// Chosen by type: the algorithm is inlined into the caller.
template <template <class, template <class> class> class Algorithm = barriers::by_name,
          template <class> class Waiting = waiting::automatic>
class team_barrier {
 public:
  /// Further arguments go to the algorithm: a radix, fan-in and fan-out, a plan.
  template <class... Parameters>
  explicit team_barrier(unsigned members, std::vector<int> placement = {}, Parameters&&... parameters)
      : members_(members), barrier_(team_here(members, std::move(placement)), std::forward<Parameters>(parameters)...) {}

  void arrive_and_wait(unsigned member) {
    assert(member < members_ && "weir: a member number is out of range");
    barrier_.arrive_and_wait(member);
  }
  /// With a completion, if the algorithm has a point for one (sense, and plans with two halves).
  template <class Completion>
  void arrive_and_wait(unsigned member, Completion&& completion) {
    assert(member < members_ && "weir: a member number is out of range");
    barrier_.arrive_and_wait(member, std::forward<Completion>(completion));
  }
  unsigned members() const { return members_; }
  std::size_t bytes() const { return barrier_.bytes(); }

 private:
  unsigned members_;
  Algorithm<native, Waiting> barrier_;
};

/// Chosen by name: one indirect call more.
template <>
class team_barrier<barriers::by_name, waiting::automatic> {
 public:
  /// Throws std::invalid_argument: no members or too many, an unknown name (the message lists the
  /// known ones), a placement of another length, a radix below 2, a fan below 1.
  explicit team_barrier(unsigned members, team_options options = {});
  ~team_barrier();

  /// Throws std::out_of_range if there is no such member.
  void arrive_and_wait(unsigned member) {
    if (member >= members_) [[unlikely]] refuse(member);
    pass_(*barrier_, member);
  }
  /// The same; `completion` runs once in each episode, in one member, after all members have arrived and before any leaves. What
  /// members did before the barrier happens before it, and it happens before what they do after; it must not throw. All members
  /// pass one. Throws std::out_of_range if there is no such member.
  template <class Completion>
  void arrive_and_wait(unsigned member, Completion&& completion, completed_by who = completed_by::any_member) {
    using type = std::remove_reference_t<Completion>;
    auto* const place = const_cast<std::remove_const_t<type>*>(std::addressof(completion));
    arrive_and_wait_completing(member, {[](void* of) { (*static_cast<type*>(of))(); }, place}, who);
  }
  unsigned members() const { return members_; }
  /// The present one: "auto" learns. Thread-safe.
  const weir::choice& choice() const;
  /// What learning has cost. Thread-safe.
  trial_record tried() const;
  /// Memory of the barrier in bytes, padding to cache lines included, with all barriers that it may try.
  std::size_t bytes() const;

 private:
  void arrive_and_wait_completing(unsigned member, const completion_call& completion, completed_by who);
  [[noreturn]] void refuse(unsigned member) const;

  unsigned members_;
  void (*pass_)(any_barrier&, unsigned member);  // the algorithm's own function: one indirect call, and no other on the way
  std::unique_ptr<any_barrier> barrier_;
  const judge<native>* judge_ = nullptr;  // of a barrier that learns
  std::vector<weir::choice> choices_;
};

team_barrier(unsigned) -> team_barrier<>;
team_barrier(unsigned, team_options) -> team_barrier<>;

}  // namespace weir

#endif
