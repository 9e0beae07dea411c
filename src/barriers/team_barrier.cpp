// Barriers by name: every algorithm with every waiting policy, behind one virtual call.
#include <weir/team_barrier.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace weir {

struct team_barrier<>::implementation {
  explicit implementation(pass p) : arrive_and_wait(p) {}
  virtual ~implementation() = default;
  virtual std::size_t bytes() const = 0;
  const pass arrive_and_wait;
  std::atomic<unsigned> inside{0};  // counted in checked builds only
};

namespace {

using implementation = team_barrier<>::implementation;

template <class Barrier>
struct wrapped final : implementation {
  template <class... Arguments>
  explicit wrapped(Arguments&&... arguments)
      : implementation(pass_here), barrier(std::forward<Arguments>(arguments)...) {}
  static void pass_here(implementation& self, unsigned member) {
#ifdef WEIR_CHECKED
    self.inside.fetch_add(1, std::memory_order_relaxed);
    static_cast<wrapped&>(self).barrier.arrive_and_wait(member);
    self.inside.fetch_sub(1, std::memory_order_relaxed);
#else
    static_cast<wrapped&>(self).barrier.arrive_and_wait(member);
#endif
  }
  std::size_t bytes() const override { return sizeof(*this) - sizeof(barrier) + barrier.bytes(); }
  Barrier barrier;
};

struct algorithm_entry {
  named about;
  std::unique_ptr<implementation> (*make)(const team&, const team_options&, std::size_t waiting);
};

struct waiting_entry {
  named about;
};
const waiting_entry waiting_table[] = {
    {{"auto", "spin while alone on the processor, yield to members that share it, sleep beside other programs"}},
    {{"spin", "poll, and never give the processor away"}},
    {{"yield", "poll a while, then give the processor away between polls"}},
    {{"block", "poll a while, then sleep until woken"}},
    {{"share", "yield only where another member shares the processor, otherwise spin"}},
};

template <template <class, template <class> class> class Algorithm, class... Parameters>
std::unique_ptr<implementation> make_waiting(const team& t, std::size_t waiting, Parameters... parameters) {
  switch (waiting) {  // in the order of waiting_table
    case 0: return std::make_unique<wrapped<Algorithm<native, waiting::automatic>>>(t, parameters...);
    case 1: return std::make_unique<wrapped<Algorithm<native, waiting::spin>>>(t, parameters...);
    case 2: return std::make_unique<wrapped<Algorithm<native, waiting::yield>>>(t, parameters...);
    case 3: return std::make_unique<wrapped<Algorithm<native, waiting::block>>>(t, parameters...);
    default: return std::make_unique<wrapped<Algorithm<native, waiting::share>>>(t, parameters...);
  }
}

template <template <class, template <class> class> class Algorithm>
std::unique_ptr<implementation> make_plain(const team& t, const team_options&, std::size_t waiting) {
  return make_waiting<Algorithm>(t, waiting);
}
std::unique_ptr<implementation> make_dissemination(const team& t, const team_options& o, std::size_t waiting) {
  return make_waiting<barriers::dissemination>(t, waiting, o.radix);
}
std::unique_ptr<implementation> make_tree(const team& t, const team_options& o, std::size_t waiting) {
  return make_waiting<barriers::tree>(t, waiting, o.fan_in, o.fan_out);
}

template <template <class, template <class> class> class Algorithm>
algorithm_entry entry(decltype(algorithm_entry::make) make = make_plain<Algorithm>) {
  using any = Algorithm<native, waiting::spin>;
  return {{any::name, any::about}, make};
}

const std::vector<algorithm_entry>& algorithm_table() {
  static const std::vector<algorithm_entry> table = {
      entry<barriers::counter>(),
      entry<barriers::sense>(),
      entry<barriers::condvar>(),
      entry<barriers::condvar_pairs>(),
      entry<barriers::sensor>(),
      entry<barriers::distributed>(),
      entry<barriers::distributed_padded>(),
      entry<barriers::distributed_sensor>(),
      entry<barriers::dissemination>(make_dissemination),
      entry<barriers::mcs>(),
      entry<barriers::tree>(make_tree),
      entry<barriers::tournament>(),
      entry<barriers::tournament_tree>(),
      entry<barriers::butterfly>(),
      entry<barriers::combination>(),
  };
  return table;
}

template <class Table>
std::vector<named> names(const Table& table) {
  std::vector<named> all;
  for (const auto& e : table) all.push_back(e.about);
  return all;
}

template <class Table>
std::size_t find(const Table& table, const std::string& wanted, const char* kind) {
  std::size_t i = 0;
  for (const auto& e : table) {
    if (e.about.name == wanted) return i;
    ++i;
  }
  std::string known = "auto";
  for (const auto& e : table)
    if (e.about.name != "auto") known += ", " + e.about.name;
  throw std::invalid_argument(std::string("weir: no ") + kind + " is called \"" + wanted + "\"; known are " + known);
}

}  // namespace

std::vector<named> algorithms() { return names(algorithm_table()); }
std::vector<named> waitings() { return names(waiting_table); }

team_barrier<>::team_barrier(unsigned members, team_options options) : members_(members) {
  const team t = team_here(members, options.placement);
  choice_ = {options.algorithm, options.waiting, "as asked"};
  if (options.algorithm == "auto") {
    choice_ = choose(t);
    choice_.waiting = options.waiting;
  }
  const std::size_t waiting = find(waiting_table, choice_.waiting, "waiting policy");
  const auto& table = algorithm_table();
  barrier_ = table[find(table, choice_.algorithm, "barrier")].make(t, options, waiting);
  pass_ = barrier_->arrive_and_wait;
}

team_barrier<>::~team_barrier() {
#ifdef WEIR_CHECKED
  // relaxed: a program that destroys a barrier in use is in error whatever order it sees.
  if (const unsigned left = barrier_->inside.load(std::memory_order_relaxed); left != 0) {
    std::fprintf(stderr, "weir: a team_barrier is destroyed while %u of its %u members wait at it\n", left, members_);
    std::abort();
  }
#endif
}

void team_barrier<>::refuse(unsigned member) const {
  throw std::out_of_range("weir: member " + std::to_string(member) + " arrives at a barrier of " +
                          std::to_string(members_) + " members, numbered 0 to " + std::to_string(members_ - 1));
}

std::size_t team_barrier<>::bytes() const { return sizeof(*this) + barrier_->bytes(); }

}  // namespace weir
