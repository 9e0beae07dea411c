// Every algorithm with every waiting policy, by name, over any machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <weir/barriers/completion.hpp>
#include <weir/barriers/condvar.hpp>
#include <weir/barriers/counter.hpp>
#include <weir/barriers/distributed.hpp>
#include <weir/barriers/distributed_sensor.hpp>
#include <weir/barriers/planned.hpp>
#include <weir/barriers/sense.hpp>
#include <weir/barriers/sensor.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir {

/// A barrier of any algorithm and policy. Called through a function pointer instead of a virtual function: one
/// load less.
struct any_barrier {
  using pass = void (*)(any_barrier&, unsigned member);
  explicit any_barrier(pass p) : arrive_and_wait(p) {}
  virtual ~any_barrier() = default;
  virtual void arrive_and_wait_completing(unsigned member, const completion_call& completion, completed_by who) = 0;
  virtual std::size_t bytes() const = 0;
  const pass arrive_and_wait;
  std::atomic<unsigned> inside{0};  // counted in checked builds only
};

/// Counts the members inside, in checked builds.
struct presence {
#ifdef WEIR_CHECKED
  // relaxed, both: a thread that destroys a barrier in use is in error whatever order it sees.
  explicit presence(any_barrier& b) : of(b) { of.inside.fetch_add(1, std::memory_order_relaxed); }
  ~presence() { of.inside.fetch_sub(1, std::memory_order_relaxed); }
  any_barrier& of;
#else
  explicit presence(any_barrier&) {}
#endif
};

template <class Machine>
class registry {
 public:
  struct entry : barrier_properties {
    const plans::entry* plan;  // nullptr: the barrier is no plan
    std::unique_ptr<any_barrier> (*make)(const team&, const plans::shape&, std::size_t waiting);

    bool halves() const { return plan != nullptr ? plan->halves() : this->phases.has_value(); }
    bool by_messages() const { return plan != nullptr; }  // the executor over messages runs any plan
  };
  struct policy {
    const char* name;
    const char* about;
    bool sleeps;
    bool placed;  // does the policy ask which processor each member is bound to?
  };

  // Tables that are never destroyed: when a program ends, threads of it may still make barriers.
  static std::span<const entry> algorithms();

  static std::span<const policy> waitings();

  /// Of a barrier of algorithms(), or of a plan by levels. Throws std::invalid_argument for a name that is not known; it lists
  /// the known ones.
  static std::unique_ptr<any_barrier> make(const std::string& algorithm, const std::string& waiting, const team& t,
                                           const plans::shape& shape = {});

  /// Of a plan that is not in the table. Proves it first; throws std::invalid_argument if the proof fails.
  static std::unique_ptr<any_barrier> of_plan(const plan& p, const std::string& waiting, const team& t);

  template <class Table>
  static std::size_t find(const Table& table, const std::string& wanted, const char* kind) {
    std::string known = "auto";
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i].name == wanted) return i;
      if (table[i].name != std::string("auto")) known += std::string(", ") + table[i].name;
    }
    throw std::invalid_argument(std::string("weir: no ") + kind + " is called \"" + wanted + "\"; known are " + known);
  }

 private:
  template <class Barrier, template <class> class Waiting>
  struct wrapped final : any_barrier {
    template <class... Arguments>
    explicit wrapped(const team& t, Arguments&&... arguments)
        : any_barrier(pass_here), barrier(t, std::forward<Arguments>(arguments)...), after(t) {}
    static void pass_here(any_barrier& self, unsigned member) {
      const presence here(self);
      static_cast<wrapped&>(self).barrier.arrive_and_wait(member);
    }
    void arrive_and_wait_completing(unsigned member, const completion_call& completion, completed_by who) override {
      const presence here(*this);
      if constexpr (requires { barrier.arrive_and_wait(member, completion); }) {
        if (who == completed_by::any_member && completes(barrier)) return barrier.arrive_and_wait(member, completion);
      }
      barrier.arrive_and_wait(member);
      after.complete(member, completion);
    }
    std::size_t bytes() const override { return sizeof(*this) - sizeof(barrier) + barrier.bytes(); }
    Barrier barrier;
    barriers::completion_point<Machine, Waiting> after;
  };

  /// Barriers with a point at which one member knows that all have arrived say so; central barriers always have one.
  template <class Barrier>
  static bool completes(const Barrier& barrier) {
    if constexpr (requires { barrier.completes(); })
      return barrier.completes();
    else
      return true;
  }

  template <template <class, template <class> class> class Algorithm, template <class> class Waiting, class... Parameters>
  static std::unique_ptr<any_barrier> made(const team& t, Parameters... parameters) {
    return std::make_unique<wrapped<Algorithm<Machine, Waiting>, Waiting>>(t, parameters...);
  }

  template <template <class, template <class> class> class Algorithm, template <class> class... Waiting, class... Parameters>
  static std::unique_ptr<any_barrier> with_waiting(std::size_t which, waiting::policies<Waiting...>, const team& t,
                                                   Parameters... parameters) {
    using maker = std::unique_ptr<any_barrier> (*)(const team&, Parameters...);
    static constexpr maker makers[] = {&made<Algorithm, Waiting, Parameters...>...};
    return makers[which](t, parameters...);
  }
  template <template <class> class... Waiting>
  static std::span<const policy> names_of(waiting::policies<Waiting...>) {
    static constexpr policy table[] = {
        {Waiting<Machine>::name, Waiting<Machine>::about, Waiting<Machine>::sleeps, Waiting<Machine>::placed}...};
    return table;
  }

  template <std::size_t... Plan>
  static std::span<const entry> entries(std::index_sequence<Plan...>) {
    static constexpr entry table[] = {
        plain<barriers::counter>(),
        plain<barriers::sense>(),
        plain<barriers::condvar>(),
        plain<barriers::condvar_pairs>(),
        plain<barriers::sensor>(),
        plain<barriers::distributed>(),
        plain<barriers::distributed_padded>(),
        plain<barriers::distributed_sensor>(),
        row_of<Plan>()...,
        plain<barriers::combination>(),
        plain<barriers::combination_dissemination>(),
    };
    return table;
  }
  template <template <class, template <class> class> class Algorithm>
  static constexpr entry plain() {
    return {Algorithm<Machine, waiting::spin>::properties, nullptr,
            [](const team& t, const plans::shape&, std::size_t which) {
              return with_waiting<Algorithm>(which, waiting::table(), t);
            }};
  }
  template <std::size_t Plan>
  static constexpr entry row_of() {
    constexpr const plans::entry& row = plans::table[Plan];
    return {{.name = row.name, .about = row.about, .logarithmic = row.logarithmic}, &row,
            [](const team& t, const plans::shape& form, std::size_t which) {
              return t.spread ? with_waiting<barriers::spread_planned>(which, waiting::table(), t, plans::table[Plan], form)
                              : with_waiting<barriers::planned>(which, waiting::table(), t, plans::table[Plan], form);
            }};
  }
};

// Outside of the class, so that they are not inline: where a machine's registry is declared `extern template`, the barriers with
// all policies are compiled once.
template <class Machine>
auto registry<Machine>::algorithms() -> std::span<const entry> {
  return entries(std::make_index_sequence<std::size(plans::table)>());
}

template <class Machine>
auto registry<Machine>::waitings() -> std::span<const policy> {
  return names_of(waiting::table());
}

template <class Machine>
std::unique_ptr<any_barrier> registry<Machine>::make(const std::string& algorithm, const std::string& waiting, const team& t,
                                                     const plans::shape& shape) {
  if (plans::names_levels(algorithm)) return of_plan(plans::by_name(algorithm, t.members).value(), waiting, t);
  const std::size_t how = find(waitings(), waiting, "waiting policy");
  return algorithms()[find(algorithms(), algorithm, "barrier")].make(t, shape, how);
}

template <class Machine>
std::unique_ptr<any_barrier> registry<Machine>::of_plan(const plan& p, const std::string& waiting, const team& t) {
  const std::size_t how = find(waitings(), waiting, "waiting policy");
  return t.spread ? with_waiting<barriers::spread_planned>(how, waiting::table(), t, p)
                  : with_waiting<barriers::planned>(how, waiting::table(), t, p);
}

}  // namespace weir
