// The barriers that are plans, as types.
#pragma once

#include <weir/barriers/plan_barrier.hpp>
#include <weir/barriers/plans.hpp>

namespace weir::barriers {

template <class Machine, template <class> class Waiting>
class dissemination : public plan_barrier<Machine, Waiting> {
 public:
  static constexpr const char* name = "dissemination";
  static constexpr const char* about = "ceil(log2 P) rounds, each member signals and awaits one in each";
  explicit dissemination(const team& t, unsigned radix = 2)
      : plan_barrier<Machine, Waiting>(t, plans::dissemination(t.members, radix), seating::one_each(t.members)) {}
};

template <class Machine, template <class> class Waiting>
class mcs : public plan_barrier<Machine, Waiting> {
 public:
  static constexpr const char* name = "mcs";
  static constexpr const char* about = "4-ary arrival tree with packed children, binary wake-up tree";
  explicit mcs(const team& t) : plan_barrier<Machine, Waiting>(t, plans::mcs(t.members), seating::one_each(t.members)) {}
};

template <class Machine, template <class> class Waiting>
class tree : public plan_barrier<Machine, Waiting> {
 public:
  static constexpr const char* name = "tree";
  static constexpr const char* about = "static tree, any arrival fan-in and release fan-out (default 2 and 2)";
  explicit tree(const team& t, unsigned arrival_fan_in = 2, unsigned release_fan_out = 2)
      : plan_barrier<Machine, Waiting>(t, plans::tree(t.members, arrival_fan_in, release_fan_out),
                                       seating::one_each(t.members)) {}
};

template <class Machine, template <class> class Waiting>
class tournament : public plan_barrier<Machine, Waiting> {
 public:
  static constexpr const char* name = "tournament";
  static constexpr const char* about = "statically decided winners, a global champion flag";
  explicit tournament(const team& t, plans::wake_up how = plans::wake_up::champion_flag)
      : plan_barrier<Machine, Waiting>(t, plans::tournament(t.members, how), seating::one_each(t.members)) {}
};

template <class Machine, template <class> class Waiting>
class tournament_tree : public tournament<Machine, Waiting> {
 public:
  static constexpr const char* name = "tournament-tree";
  static constexpr const char* about = "statically decided winners, each wakes those that it beat";
  explicit tournament_tree(const team& t) : tournament<Machine, Waiting>(t, plans::wake_up::tree) {}
};

template <class Machine, template <class> class Waiting>
class butterfly : public plan_barrier<Machine, Waiting> {
 public:
  static constexpr const char* name = "butterfly";
  static constexpr const char* about = "pairwise exchange in log2 P rounds, any team size";
  explicit butterfly(const team& t)
      : plan_barrier<Machine, Waiting>(t, plans::butterfly(t.members), seating::one_each(t.members)) {}
};

template <class Machine, template <class> class Waiting>
class linear : public plan_barrier<Machine, Waiting> {
 public:
  static constexpr const char* name = "linear";
  static constexpr const char* about = "member 0 looks at a packed flag of each, one flag lets all go";
  explicit linear(const team& t) : plan_barrier<Machine, Waiting>(t, plans::linear(t.members), seating::one_each(t.members)) {}
};

/// Equals mcs where no processor is shared, and where the placement is unknown.
template <class Machine, template <class> class Waiting>
class combination : public plan_barrier<Machine, Waiting> {
 public:
  static constexpr const char* name = "combination";
  static constexpr const char* about = "a central barrier on each processor, an MCS tree across processors";
  explicit combination(const team& t) : combination(t, seating::by_processor(t)) {}

 private:
  combination(const team& t, const seating& s) : plan_barrier<Machine, Waiting>(t, plans::mcs(s.seats), s) {}
};

}  // namespace weir::barriers
