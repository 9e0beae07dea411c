#include "probe.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine.hpp"
#include "simulated.hpp"

namespace weir::simulator {

double one_transfer_ns(const machine_model& m, unsigned from, unsigned to) {
  if (from == to || std::max(from, to) >= m.processors)
    throw std::invalid_argument("a transfer goes from one of the machine's processors to another");
  constexpr std::uint64_t warm = 10, rounds = 100;
  struct alignas(128) line {
    simulated::word<std::uint64_t> value{0};
  };
  line there, back;
  time begin = 0, end = 0;
  const auto await = [](line& l, std::uint64_t wanted) {
    simulated::spin(l.value, [wanted](std::uint64_t value) { return value == wanted; });
  };
  engine machine(m, schedule{});
  // A thread for each processor up to the farther one; those between end immediately.
  machine.add_job("transfer", std::max(from, to) + 1, 0, 0, [](const job&) {}, [&](unsigned member) {
    if (member == from) {
      for (std::uint64_t i = 1; i <= warm + rounds; ++i) {
        if (i == warm + 1) begin = engine::here().now();
        there.value.store(i);
        await(back, i);
      }
      end = engine::here().now();
    } else if (member == to) {
      for (std::uint64_t i = 1; i <= warm + rounds; ++i) {
        await(there, i);
        back.value.store(i);
      }
    }
  });
  machine.run();
  return in_ns(end - begin) / (2.0 * rounds);
}

}  // namespace weir::simulator
