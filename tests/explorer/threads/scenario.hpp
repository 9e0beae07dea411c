// What scenarios of virtual processors have in common.
#pragma once

#include "machine.hpp"

namespace explored_threads {

/// Member m executes pass(m, members).
class scenario {
 public:
  scenario() {
    of_monitor = nullptr;
    before_operation = nullptr;
    after_store = nullptr;
    after_fence_everywhere = nullptr;
    wants_stand_in = nullptr;
    goes_on_in_own_thread = nullptr;
    scenarios.add(this);
  }

 protected:
  /// The search reports a member that waits for ever.
  void check(bool holds) {
    if (!holds) explored::spin(never_, [](std::uint32_t) { return false; });
  }
  /// Words change in members alone: the first one makes what all others begin with.
  template <class Make>
  void begin(unsigned member, Make make) {
    if (member == 0) {
      make();
      begun_.fetch_add(1, order::release);
    } else {
      explored::spin(begun_, [](std::uint32_t now) { return now == 1; });
    }
  }
  /// Has this member ended last? Then it knows what all have done.
  bool is_last(unsigned members) { return ended_.fetch_add(1, order::acq_rel) + 1 == members; }

  static void belongs(body& b, queue& to) {
    b.on.store(&to, order::relaxed);
    b.seat.store(&to, order::relaxed);
  }
  static void runs_at(body& b, queue& on) {
    belongs(b, on);
    b.held.store(0, order::relaxed);
    on.runs(b);
  }
  /// The member that has it hands it over.
  static void make_ready(body& b, body* me = nullptr) {
    b.has_done.store(1, order::relaxed);
    queue::make_ready(b, me);
  }
  /// Of one that has been made ready: who takes it knows what it has done.
  void takes_over(body& b) { check(b.has_done.load(order::relaxed) == 1); }
  /// Until that one comes to its processor.
  void await(queue& at, body& b) {
    for (;;) {
      body* const next = static_cast<body*>(at.take());
      if (next == nullptr) {
        at.await_arrival();
        continue;
      }
      takes_over(*next);
      if (next == &b) return;
    }
  }
  static unsigned count(queue& in, const body& b) {
    unsigned times = 0;
    while (const auto* const each = in.take()) times += each == &b;
    return times;
  }

 private:
  explored_word<std::uint32_t> never_{0}, ended_{0}, begun_{0};
};

}  // namespace explored_threads
