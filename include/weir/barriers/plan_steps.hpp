// SPDX-License-Identifier: Apache-2.0
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
  /// A step of the plan, or a request for the line of a flag that the member is to signal after its next wait, or in the next
  /// episode: fetched for writing while the member waits or computes, the line need not be fetched by the signal. The one who
  /// awaits the flag loses its copy, so this is worth while only where it does not poll the flag yet.
  enum class doing : std::uint8_t { signal, await, request, request_for_next };
  struct action {
    flag* flags;  // of both parities
    typename Machine::gate* gate;
    doing what;
  };
  static constexpr doing of(step::action act) { return act == step::action::signal ? doing::signal : doing::await; }

  // A part of the caller, which has fewer arguments: with seven, callers save registers for the call.
  template <bool Requests = false, class Waiting>
  [[gnu::always_inline]] static void run(Waiting& waiting, unsigned member, const action* a, const action* end, unsigned parities,
                                         std::uint32_t episode, co_located others) {
    const unsigned parity = parities == 2 ? episode & 1u : 0u;
    const std::uint32_t round = parities == 2 ? episode >> 1 : episode;
    const auto sense = static_cast<std::uint8_t>((round & 1u) ^ 1u);  // flags begin as 0
    for (; a != end; ++a) {
      if (a->what == doing::signal) {
        // release: what this member did, and what it has acquired, for the member that awaits the flag.
        a->flags[parity].store(sense, std::memory_order_release);
        waiting.wake(*a->gate);
      } else if (Requests && a->what >= doing::request) {
        if constexpr (requires { Machine::request_for_writing(*a->flags); })
          Machine::request_for_writing(a->flags[a->what == doing::request || parities == 1 ? parity : 1 - parity]);
      } else {
        waiting.await(member, a->flags[parity], *a->gate, [sense](std::uint8_t now) { return now == sense; }, others);
      }
    }
  }
};

}  // namespace weir::barriers
