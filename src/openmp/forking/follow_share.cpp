#include "openmp/forking/follow_share.hpp"

#include "openmp/forking/crew.hpp"

namespace weir::openmp {

void crew::may_follow_share(team& t) {
  t.of_program = this;
  if (!t.seats.empty() || t.processors != 0) return;  // take_seats() does the rest
  const unsigned share = share_of_processors();
  t.decided_for.store(share, std::memory_order_relaxed);  // relaxed: published by the next release
  const unsigned made = t.has_unmade_members() ? 1 : t.size;  // the others: team::make_member()
  for (unsigned m = 0; m < made; ++m) t.members[m].seated_for = share;
}

bool crew::follow_share(team& t, unsigned word) {
  const unsigned share = share_in(word);
  const bool may_move = !differs_ && threads::why_no_processors() == nullptr && (t.first_seat != nullptr || threads::may_drive());
  const unsigned chosen = share < t.size && may_move ? share : 0;
  // relaxed, both: this thread alone writes the first word; a member that leaves its seat too late loses it (sit_among).
  if (chosen != t.computes_on.load(std::memory_order_relaxed)) {
    if (t.first_seat == nullptr) {
      t.first_seat = &threads::seat();
      drive();
    }
    follows_share_ = true;
    compute_on(t, chosen);
  } else if (chosen == 0 && t.first_seat != nullptr && t.with_seats.load(std::memory_order_relaxed) == 0) {
    t.first_seat = nullptr;
    stop_driving();
  }
  t.decided_for.store(word, std::memory_order_release);  // release: on how many processors
  return chosen != 0 || t.first_seat == nullptr;
}

// All members have arrived.
void crew::end_following(team& t) {
  follows_share_ = false;
  t.computes_on.store(0, std::memory_order_relaxed);  // relaxed: published by the next release
  t.first_seat = nullptr;
  forget_seats(t);
}

// The body of the primary thread stays where it is. Whatever is not done yet is tried at the next barrier again: by a member for
// which the primary thread has not decided, or that has to stay in its kernel thread for a while, and by the primary thread while
// members have not left their seats.
void take_another_seat(member& me) {
  team& t = *me.of;
  await_turn();
  const unsigned word = share_word();
  if (!t.seats.empty()) {
    if (me.number == 0 || sit_within(me, share_in(word))) me.seated_for = word;
  } else if (me.number != 0) {
    const unsigned decided_for = t.decided_for.load(std::memory_order_acquire);  // acquire: on how many processors
    if (sit_as_decided(me)) me.seated_for = decided_for;
  } else if (t.of_program->follow_share(t, word)) {
    me.seated_for = word;
  }
}

}  // namespace weir::openmp
