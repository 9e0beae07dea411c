// SPDX-License-Identifier: Apache-2.0
// The barriers that are plans, by the table of plans.hpp and as types.
#pragma once

#include <weir/barriers/plan_barrier.hpp>
#include <weir/barriers/plans.hpp>
#include <weir/barriers/properties.hpp>
#include <weir/barriers/spread_plan_barrier.hpp>

namespace weir::barriers {

/// The barrier of a plan of the table, or of any other plan, which it proves first.
template <class Machine, template <class> class Waiting>
class planned : public plan_barrier<Machine, Waiting> {
 public:
  planned(const team& t, const plans::entry& of, const plans::shape& form = {})
      : plan_barrier<Machine, Waiting>(t, trusted(of.make(t.members, form)), seating::one_each(t.members)) {}
  planned(const team& t, const plan& p) : plan_barrier<Machine, Waiting>(t, p) {}
};

/// The same for a large team, each of whose members makes the lines that it awaits.
template <class Machine, template <class> class Waiting>
class spread_planned : public spread_plan_barrier<Machine, Waiting> {
 public:
  spread_planned(const team& t, const plans::entry& of, const plans::shape& form = {})
      : spread_plan_barrier<Machine, Waiting>(t, trusted(of.make(t.members, form))) {}
  spread_planned(const team& t, const plan& p) : spread_plan_barrier<Machine, Waiting>(t, proven(p)) {}
};

template <class Machine, template <class> class Waiting>
class dissemination : public planned<Machine, Waiting> {
 public:
  explicit dissemination(const team& t, unsigned radix = 2)
      : planned<Machine, Waiting>(t, plans::called("dissemination"), {.radix = radix}) {}
};

template <class Machine, template <class> class Waiting>
class tree : public planned<Machine, Waiting> {
 public:
  explicit tree(const team& t, unsigned arrival_fan_in = 2, unsigned release_fan_out = 2)
      : planned<Machine, Waiting>(t, plans::called("tree"), {.fan_in = arrival_fan_in, .fan_out = release_fan_out}) {}
};

template <class Machine, template <class> class Waiting>
class tournament : public planned<Machine, Waiting> {
 public:
  explicit tournament(const team& t, plans::wake_up how = plans::wake_up::champion_flag)
      : planned<Machine, Waiting>(
            t, how == plans::wake_up::tree ? plans::called("tournament-tree") : plans::called("tournament")) {}
};

template <class Machine, template <class> class Waiting>
class mcs : public planned<Machine, Waiting> {
 public:
  explicit mcs(const team& t) : planned<Machine, Waiting>(t, plans::called("mcs")) {}
};

template <class Machine, template <class> class Waiting>
class tournament_tree : public planned<Machine, Waiting> {
 public:
  explicit tournament_tree(const team& t) : planned<Machine, Waiting>(t, plans::called("tournament-tree")) {}
};

template <class Machine, template <class> class Waiting>
class tournament_nodes : public planned<Machine, Waiting> {
 public:
  explicit tournament_nodes(const team& t, unsigned ways = 4, unsigned node = 4)
      : planned<Machine, Waiting>(t, plans::called("tournament-nodes"), {.ways = ways, .node = node}) {}
};

template <class Machine, template <class> class Waiting>
class exchange_nodes : public planned<Machine, Waiting> {
 public:
  explicit exchange_nodes(const team& t, unsigned node = 4)
      : planned<Machine, Waiting>(t, plans::called("exchange-nodes"), {.node = node}) {}
};

template <class Machine, template <class> class Waiting>
class butterfly : public planned<Machine, Waiting> {
 public:
  explicit butterfly(const team& t) : planned<Machine, Waiting>(t, plans::called("butterfly")) {}
};

template <class Machine, template <class> class Waiting>
class linear : public planned<Machine, Waiting> {
 public:
  explicit linear(const team& t) : planned<Machine, Waiting>(t, plans::called("linear")) {}
};

/// The members of each processor meet in a central barrier, then the processors by a plan. If no processor is shared, or if the
/// placement is unknown, this is the barrier of the plan alone.
template <class Machine, template <class> class Waiting>
class combined : public plan_barrier<Machine, Waiting> {
 protected:
  using making = plan (*)(unsigned participants);
  combined(const team& t, making across) : combined(t, across, seating::by_processor(t)) {}

 private:
  combined(const team& t, making across, const seating& s)
      : plan_barrier<Machine, Waiting>(t, trusted(across(s.seats)), s) {}
};

template <class Machine, template <class> class Waiting>
class combination : public combined<Machine, Waiting> {
 public:
  static constexpr barrier_properties properties{
      .name = "combination", .about = "a central barrier on each processor, an MCS tree across processors",
      .logarithmic = true, .placed = true};
  explicit combination(const team& t) : combined<Machine, Waiting>(t, plans::mcs) {}
};

template <class Machine, template <class> class Waiting>
class combination_dissemination : public combined<Machine, Waiting> {
 public:
  static constexpr barrier_properties properties{
      .name = "combination-dissemination", .about = "a central barrier on each processor, dissemination across processors",
      .logarithmic = true, .placed = true};
  explicit combination_dissemination(const team& t) : combined<Machine, Waiting>(t, plans::exchange) {}
};

}  // namespace weir::barriers
