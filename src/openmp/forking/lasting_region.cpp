#include "openmp/forking/lasting_region.hpp"

#include <algorithm>
#include <memory>

#include "openmp/forking/crew.hpp"
#include "openmp/settings/initial.hpp"
#include "system/errno_kept.hpp"

namespace weir::openmp {

void crew::may_be_chosen_within(team& t) {
  t.of_program = this;
  if (!t.seats.empty() || t.processors != 0) return;  // take_seats() does the rest
  const unsigned made = t.has_unmade_members() ? 1 : t.size;  // the others: team::make_member()
  for (unsigned m = 0; m < made; ++m) t.members[m].seated_for = share_of_processors();
}

void crew::choose_within(team& t) {
  primary_thread_->may_rest(place_ == nullptr);
  if (place_ == nullptr || !primary_thread_->lasts()) return;
  const errno_kept around;
  if (barriers_) {
    barriers_->end();
  } else {
    barriers_ = std::make_unique<native_region_sites>();
    if (initial_settings().explain) explains_barriers_.emplace(*barriers_, explained_sites::barriers);
  }
  chooses_within_ = true;
  const bool of_kernel_threads = t.seats.empty(), may_move = threads::why_no_processors() == nullptr;
  const unsigned most = of_kernel_threads ? std::min(t.size, share_of_processors()) : static_cast<unsigned>(t.seats.size());
  const unsigned on = barriers_->begin(place_, t.size, may_move ? most : 1)[choice::processors];
  // Kernel threads that have become more than their share of the processors are members there, as in a team that begins.
  const unsigned chosen = !may_move ? 0 : on < most ? on : of_kernel_threads && most < t.size ? most : 0;
  // relaxed, both: this thread alone writes the first word; a member that leaves its seat too late loses it (sit_among).
  const bool changes = chosen != t.computes_on.load(std::memory_order_relaxed);
  primary_thread_->may_rest(!changes && (most < 2 || barriers_->may_rest()));
  if (changes) {
    if (t.first_seat == nullptr) {
      if (of_kernel_threads && !threads::may_drive()) return;
      t.first_seat = of_kernel_threads ? &threads::seat() : t.seats.front();
      if (of_kernel_threads) drive();
    }
    compute_on(t, chosen);
  } else if (chosen == 0 && of_kernel_threads && t.first_seat != nullptr && t.with_seats.load(std::memory_order_relaxed) == 0) {
    t.first_seat = nullptr;
    stop_driving();
  }
}

// All members have arrived.
void crew::end_choosing(team& t) {
  chooses_within_ = false;
  barriers_->interrupt();
  primary_thread_->end_of_lasting_region();
  t.computes_on.store(0, std::memory_order_relaxed);  // relaxed: published by the next release
  t.first_seat = nullptr;
  if (t.seats.empty()) forget_seats(t);
}

// The body of the primary thread stays where it is.
void take_another_seat(member& me) {
  team& t = *me.of;
  await_turn();
  const unsigned word = share_word();
  me.seated_for = word & ~members_look;
  if (me.number != 0) return sit_within(me, share_in(word));
  if (t.of_program != nullptr && ((word & members_look) != 0 || t.seats.empty())) t.of_program->choose_within(t);
}

}  // namespace weir::openmp
