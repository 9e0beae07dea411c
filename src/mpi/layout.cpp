#include "layout.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "call.hpp"
#include "choice.hpp"
#include "polite.hpp"

namespace weir::mpi {

// What a process says when it has made its node's memory, or has none to make.
struct layout::ticket {
  int failed;          // it could not do its part
  int number, error;  // of its segment, if it is the first of its node
};

struct layout::draft {
  const MPI_Comm of;
  options how;
  bool windows = false;  // can they be had?
  card mine{};
  std::vector<card> cards{};
  std::vector<ticket> tickets{};
  weir::plan plan{};
  std::vector<unsigned> node_of{};  // as signals see it
  std::string no_memory{};          // why not
};

layout::layout(MPI_Comm of, const options& how, unsigned threads) : comm_(of), draft_(new draft{of, how}) {
  int size = 0, rank = 0;
  check(PMPI_Comm_size(of, &size), "asking for the size");
  check(PMPI_Comm_rank(of, &rank), "asking for the rank");
  rank_ = static_cast<unsigned>(rank);
  draft_->cards.resize(static_cast<std::size_t>(size));
  draft_->tickets.resize(draft_->cards.size());
  draft_->windows = windows_are_safe(of);
  draft_->mine = card::here(threads);
}

layout::~layout() = default;

void layout::make(steps& together) {
  draft& d = *draft_;
  polite::gather(&d.mine, d.cards.data(), sizeof d.mine, d.of, "gathering who shares a node");

  // The node's first process makes the memory, the others find it by its number.
  segment made;
  together.alone([&] {
    places_ = places_of(rank_, d.cards);
    settle_home(places_);
    settle();
    made = make_segment();
  });
  const ticket its{!together.good(), made.number(), made.error()};
  polite::gather(&its, d.tickets.data(), sizeof its, d.of, "making a node's memory");
  if (std::any_of(d.tickets.begin(), d.tickets.end(), [](const ticket& t) { return t.failed != 0; })) together.agree();

  together.alone([&] { attach(std::move(made)); });
  if (!together.agree(d.no_memory.empty())) {
    together.alone([&] { do_without_memory(); });
    together.agree();
  }
  open_far_side(together);
  draft_.reset();
}

void layout::settle() {
  choice_ = choose(places_, draft_->how);
  if (choice_.transport == "rma" && !draft_->windows) {
    choice_.transport = "messages";
    choice_.reason += " (not by rma: Open MPI before 5.0 mixes up windows of communicators that are not of all processes)";
  }
  if (choice_.within == "combination") {
    draft_->node_of = places_.node_of;
    route_ = combination_route(plan_for_seats(places_), places_.seats, rank_);
    return;
  }
  draft_->plan = plan_for(places_, choice_, draft_->how);
  // "none": signals within a node go by messages too.
  draft_->node_of = choice_.within == "none" ? places_.apart().node_of : places_.node_of;
  route_ = route_of(draft_->plan, rank_, draft_->node_of);
}

segment layout::make_segment() const {
  return here().size() > 1 && here()[0] == rank_ ? segment::make(bytes()) : segment();
}

// Where all goes by messages the memory says who is still there.
void layout::attach(segment mine) {
  if (here().size() == 1) return;
  const ticket& first = draft_->tickets[here()[0]];
  if (!mine && first.error == 0) mine = segment::of(first.number);
  if (!mine) {
    const int error = first.error != 0 ? first.error : mine.error();
    draft_->no_memory = "shared memory of " + std::to_string(bytes()) + " bytes: " + std::strerror(error);
    return;
  }
  const auto index = static_cast<unsigned>(std::find(here().begin(), here().end(), rank_) - here().begin());
  memory_ = std::make_unique<near_memory>(std::move(mine), index, static_cast<unsigned>(here().size()), route_.flag_line);
  memory_->people().enter();
}

// In all processes, though some could have it.
void layout::do_without_memory() {
  memory_.reset();
  if (choice_.within == "none") return;
  places_ = places_.apart();
  draft_->how.within = "none";
  settle();
  const std::string& why = draft_->no_memory;
  choice_.reason += " (processes of a node cannot share memory here: " +
                    (why.empty() ? "another process cannot share memory with its node" : why) + ")";
}

void layout::open_far_side(steps& together) {
  const std::vector<unsigned>& node_of = draft_->node_of;
  // Whether any signal goes from node to node is the same for all; this process may have none.
  if (std::adjacent_find(node_of.begin(), node_of.end(), std::not_equal_to<>()) == node_of.end()) return;
  const bool by_windows = choice_.transport == "rma";
  // All come here, and what it reports they agree on at the next step.
  together.alone([&] {
    comm_.join(draft_->of);
    if (by_windows)
      far_ = by_rma(comm_, route_, indices_at_receivers(draft_->plan, rank_, node_of));
    else if (route_.far_awaits + route_.far_signals > 0)
      far_ = choice_.transport == "persistent" ? by_persistent_requests(comm_, route_) : by_messages(comm_, route_);
  });
  together.agree();
  if (!by_windows) return;
  failed_ = true;  // if it fails, others may write to this one's window
  together.alone([&] { far_->open(); });
  together.agree();
  failed_ = false;
}

}  // namespace weir::mpi
