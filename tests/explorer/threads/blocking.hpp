// A processor whose body blocks in the system before another becomes ready there.
#pragma once

#include "scenario.hpp"

namespace explored_threads {

struct blocked_processor : scenario {
  queue processor, stand_in;
  body own, b;
  word<std::uint32_t> asked{0};  // member 1 alone

  blocked_processor() {
    wants_stand_in = [] { reinterpret_cast<blocked_processor*>(scenarios.here())->asked.store(1, order::relaxed); };
  }
  void begin_at_processor(unsigned member) {
    begin(member, [&] {
      runs_at(own, processor);
      belongs(b, processor);
    });
  }
};

/// Member 0 is blocked until member 1's body has been at the stand-in, unless it sees the body before. The one that asks is the
/// monitor here.
struct blocking_alone : blocked_processor {
  word<std::uint32_t> has_run{0};
  void pass(unsigned member, unsigned) {
    begin_at_processor(member);
    if (member == 0) {
      own.hold();
      const bool alone = processor.blocks_alone();
      if (!alone) check(processor.take() == &b);
      own.release();
      if (!alone) return;
      explored::spin(has_run, [](std::uint32_t now) { return now == 1; });
      processor.no_longer_blocks();
    } else {
      make_ready(b);
      if (asked.load(order::relaxed) == 0) return;
      do {
        explored::spin(own.held, [](std::uint32_t now) { return now == 0; });
        if (!processor.wants_stand_in()) return;
      } while (!processor.claim(1));
      processor.hand_off(stand_in);
      processor.has_stand_in();
      // Member 0 may have come back with it: a request that is seen too late hands off nothing.
      if (stand_in.take() == &b) has_run.store(1, order::release);
    }
  }
};

/// Member 0 comes back by itself: nobody asks for a stand-in after that.
struct blocking_for_a_moment : blocked_processor {
  void pass(unsigned member, unsigned members) {
    begin_at_processor(member);
    if (member == 1)
      make_ready(b);
    else if (processor.blocks_alone())
      processor.no_longer_blocks();
    if (is_last(members)) check(!processor.wants_stand_in() && count(processor, b) == 1);
  }
};

}  // namespace explored_threads
