#include "player.hpp"

#include <stdexcept>

namespace weir::explorer {

constinit thread_local player* player::here_ = nullptr;

player::player(const subject& s, unsigned member, simulator::stacks& stacks)
    : member_(member), tick_(s.tick), slice_(s.slice), order_at_(s.order_at), stacks_(stacks) {
  here_ = this;
  {
    const arena::in_use here(&arena_);
    body_ = new subject::body(s.build());
  }
  here_ = nullptr;
  arena_.remember();
  follow({});
}

void player::follow(std::vector<std::uint64_t> seen) {
  seen_ = std::move(seen);
  position_ = 0;
  first_left_ = last_left_ = arrives_ = completed_ = episode_ = looks_ = yields_ = 0;
  arena_.restore();
  // Data that earlier runs left on the stack would make equal states look different.
  stacks_.clear(member_, 4096);
  fiber_.start(stacks_.top(member_), stacks_.usable_bytes(), [this] {
    (*body_)(member_);
    next_ = {};
  });
  resume();
}

void player::go_on(std::uint64_t seen) {
  given_ = seen;
  resume();
}

void player::resume() {
  here_ = this;
  {
    const arena::in_use here(&arena_);
    fiber_.resume();
  }
  here_ = nullptr;
}

std::uint32_t player::add(object_kind kind, std::uint8_t bytes, std::uint64_t initial, const void* address) {
  const arena::in_use heap(nullptr);
  if (!arena::owns(address)) throw std::logic_error("weir: an explored word is outside its barrier's memory");
  objects_.push_back({kind, bytes, initial, address});
  return static_cast<std::uint32_t>(objects_.size() - 1);
}

std::uint64_t player::perform(const operation& o, const void* predicate, test t) {
  std::uint64_t result;
  if (position_ < seen_.size()) {
    result = seen_[position_++];
  } else {
    next_ = o;
    predicate_ = predicate;
    test_ = t;
    fiber_.suspend();
    result = given_;
  }
  first_left_ = last_left_ = arrives_ = completed_ = 0;
  return result;
}

std::memory_order player::order(const std::source_location& at, std::memory_order written) const {
  if (!order_at_) return written;
  const arena::in_use heap(nullptr);
  return order_at_(at, written);
}

void player::leave(unsigned episode) {
  if (first_left_ == 0) first_left_ = episode;
  last_left_ = episode_ = episode;
  arrives_ = looks_ = yields_ = 0;
  if (position_ < seen_.size()) return;
  digester d;
  d.add(episode);
  arena_.add_to(d);
  at_leave_ = d.result();
}

// It also reads the memory between variables on the stack.
[[gnu::no_sanitize_address]] digest player::now() const {
  digester d;
  d.add(std::uint64_t{episode_} << 32 | looks_);
  d.add(slice_ != 0 ? yields_ : 0);
  d.add(fiber_.done());
  arena_.add_to(d);
  for (const auto* at = static_cast<const char*>(fiber_.stopped_at()); at < stacks_.top(member_); at += 8) {
    std::uint64_t value;
    __builtin_memcpy(&value, at, 8);
    d.add(value);
  }
  return d.result();
}

// The member's own clock, which jumps, so that waiting for some time ends after a few looks; the scheduler may still delay the
// member at any of its operations. It restarts with each episode, so that members that left an episode in equal states stay
// equal.
std::uint64_t player::ticks() {
  constexpr double episode_us = 15e3;
  return static_cast<std::uint64_t>(1000 * (episode_us * (episode_ + 1) + tick_ * ++looks_ + slice_ * yields_));
}

}  // namespace weir::explorer
