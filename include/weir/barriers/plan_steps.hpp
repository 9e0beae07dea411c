// How a participant makes the steps of a plan in shared memory, wherever the flags lie.
#pragma once

#include <cstdint>

#include <weir/barriers/plan.hpp>
#include <weir/machine/machine.hpp>
#include <weir/waiting.hpp>

namespace weir::barriers {

template <class Machine>
struct plan_steps {
  using flag = typename Machine::template word<std::uint8_t>;

  // The flags of a slot's two parities lie side by side; the gate is on the line that the signaller writes anyway.
  struct alignas(line_bytes) line {
    flag flags[2 * slots_per_line]{};
    typename Machine::gate gate;
  };
  struct action {
    flag* flags;  // of both parities
    typename Machine::gate* gate;
    step::action act;
  };

  // A part of the caller, which has fewer arguments: with seven, callers save registers for the call.
  template <class Waiting>
  [[gnu::always_inline]] static void run(Waiting& waiting, unsigned member, const action* a, const action* end, unsigned parities,
                                         std::uint32_t episode, co_located others) {
    const unsigned parity = parities == 2 ? episode & 1u : 0u;
    const std::uint32_t round = parities == 2 ? episode >> 1 : episode;
    const auto sense = static_cast<std::uint8_t>((round & 1u) ^ 1u);  // flags begin as 0
    for (; a != end; ++a) {
      if (a->act == step::action::signal) {
        // release: what this member did, and what it has acquired, for the member that awaits the flag.
        a->flags[parity].store(sense, std::memory_order_release);
        waiting.wake(*a->gate);
      } else {
        waiting.await(member, a->flags[parity], *a->gate, [sense](std::uint8_t now) { return now == sense; }, others);
      }
    }
  }
};

}  // namespace weir::barriers
