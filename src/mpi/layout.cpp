#include "layout.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "call.hpp"
#include "choice.hpp"
#include "yielding.hpp"

namespace weir::mpi {

// What a process reports when it has made its node's memory, or has none to make.
struct layout::segment_report {
  int failed;         // it could not do its part
  int number, error;  // of its segment, if it is the first of its node
};

struct layout::draft {
  const MPI_Comm of;
  options how;
  bool windows = false;  // are they safe?
  process_info own{};
  std::vector<process_info> infos{};
  std::vector<segment_report> reports{};
  weir::plan plan{};  // of the last way
  std::vector<unsigned> node_of{};  // for signals: processes without shared memory are on nodes of their own
  std::string no_memory{};          // why there is no shared memory
};

namespace {

// For a message of more than some hundred bytes MPICH attaches to memory of its receiver. Where a limit forbids it, its blocking
// operations return an error, and its nonblocking ones, by which barriers are made (yielding.hpp), wait for ever [4.0.2 with
// UCX]. With 8 processes 16 MiB suffice.
void require_address_space() {
  constexpr rlim_t enough = 64 << 20;
  rlimit most;
  if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return;
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;  // 0 if it cannot be read
  if (most.rlim_cur < pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + enough)
    throw std::runtime_error("weir: of the address space that the process may have (RLIMIT_AS), less than 64 MiB are left");
}

}  // namespace

layout::layout(MPI_Comm of, const options& how, unsigned threads) : comm_(of), draft_(new draft{of, how}) {
  require_address_space();
  int size = 0, rank = 0;
  check(PMPI_Comm_size(of, &size), "asking for the size");
  check(PMPI_Comm_rank(of, &rank), "asking for the rank");
  rank_ = static_cast<unsigned>(rank);
  draft_->infos.resize(static_cast<std::size_t>(size));
  draft_->reports.resize(draft_->infos.size());
  draft_->windows = windows_are_safe(of);
  draft_->own = process_info::here(threads, how.learns);
}

layout::~layout() = default;

void layout::make(steps& together) {
  draft& d = *draft_;
  yielding::gather(&d.own, d.infos.data(), sizeof d.own, d.of, "gathering who shares a node");

  // The node's first process makes the memory; the others find it by its number.
  node::segment made;
  together.alone([&] {
    places_ = places_of(rank_, d.infos);
    remember_home(places_);
    choose_routes();
    made = make_segment();
  });
  const segment_report report{!together.good(), made.number(), made.error()};
  yielding::gather(&report, d.reports.data(), sizeof report, d.of, "making a node's memory");
  if (std::any_of(d.reports.begin(), d.reports.end(), [](const segment_report& t) { return t.failed != 0; })) together.agree();

  together.alone([&] { attach(std::move(made)); });
  if (!together.agree(d.no_memory.empty())) {
    together.alone([&] { do_without_memory(); });
    together.agree();
  }
  open_transport(together);
  draft_.reset();
}

void layout::choose_routes() {
  const machine_profile* const known = places_.one_profile ? &*profile_here().profile : nullptr;
  mpi::choice usual = choose(places_, draft_->how, known);
  if (usual.transport == "rma" && !draft_->windows) {
    usual.transport = "messages";
    usual.reason += " (not by rma: Open MPI before 5.0 mixes up windows of communicators that are not of all processes)";
  }
  // "none": signals within a node go by messages too.
  draft_->node_of = usual.within == "none" ? places_.apart().node_of : places_.node_of;
  ways_.clear();
  add_way(usual);
  if (!places_.learn) return;
  for (const mpi::choice& other : others(places_, draft_->how, usual, known)) add_way(other);
}

void layout::add_way(const mpi::choice& c) {
  way barrier_way{c, {}, {}};
  if (c.within == "combination") {
    barrier_way.route = combination_route(plan_for_seats(places_), places_.seats, rank_);
  } else {
    draft_->plan = plan_for(places_, c, draft_->how);
    barrier_way.route = route_of(draft_->plan, rank_, draft_->node_of);
  }
  if (!ways_.empty()) barrier_way.route.follow(ways_.back().route);
  ways_.push_back(std::move(barrier_way));
}

node::segment layout::make_segment() const {
  return here().size() > 1 && here()[0] == rank_ ? node::segment::make(bytes()) : node::segment();
}

// If all signals go by messages, the memory still holds the table of living processes.
void layout::attach(node::segment own_memory) {
  if (here().size() == 1) return;
  const segment_report& first = draft_->reports[here()[0]];
  if (!own_memory && first.error == 0) own_memory = node::segment::of(first.number);
  if (!own_memory) {
    const int error = first.error != 0 ? first.error : own_memory.error();
    draft_->no_memory = "shared memory of " + std::to_string(bytes()) + " bytes: " + std::strerror(error);
    return;
  }
  const auto index = static_cast<unsigned>(std::find(here().begin(), here().end(), rank_) - here().begin());
  memory_ = std::make_unique<node_memory>(std::move(own_memory), index, static_cast<unsigned>(here().size()),
                                          ways_.back().route.flag_line);
  memory_->alive().enter();
}

// In all processes, although some have shared memory.
void layout::do_without_memory() {
  memory_.reset();
  if (ways_[0].choice.within == "none") return;
  places_ = places_.apart();
  draft_->how.within = "none";
  choose_routes();
  const std::string& why = draft_->no_memory;
  ways_[0].choice.reason += " (processes of a node cannot share memory here: " +
                            (why.empty() ? "another process cannot share memory with its node" : why) + ")";
}

void layout::open_transport(steps& together) {
  const std::vector<unsigned>& node_of = draft_->node_of;
  // Whether any signal goes between nodes is the same in all processes; this process may have none.
  if (std::adjacent_find(node_of.begin(), node_of.end(), std::not_equal_to<>()) == node_of.end()) return;
  const bool by_windows = ways_[0].choice.transport == "rma";  // then there is no other way
  // All processes come here; they agree on a failure at the next step.
  together.alone([&] {
    comm_.join(draft_->of);
    if (by_windows) ways_[0].transport = by_rma(comm_, ways_[0].route, indices_at_receivers(draft_->plan, rank_, node_of));
    for (way& barrier_way : ways_)
      if (!by_windows && barrier_way.route.message_awaits + barrier_way.route.message_signals > 0)
        barrier_way.transport = barrier_way.choice.transport == "persistent" ? by_persistent_requests(comm_, barrier_way.route)
                                                                             : by_messages(comm_, barrier_way.route);
  });
  together.agree();
  if (!by_windows) return;
  failed_ = true;  // if it fails, others may write to this process's window
  together.alone([&] { ways_[0].transport->open(); });
  together.agree();
  failed_ = false;
}

}  // namespace weir::mpi
