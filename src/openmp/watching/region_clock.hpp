// The clock by which region_sites measures.
#pragma once

#include <cstdint>

#include <weir/machine/native.hpp>

#include "openmp/watching/region_sites.hpp"
#include "system/clocks.hpp"
#include "system/run_delay.hpp"

namespace weir::openmp {

struct region_clock : native {
  static std::uint64_t machine_ns() { return now_by(CLOCK_MONOTONIC); }
  static std::uint64_t waited_for_processor() {
    return static_cast<std::uint64_t>(static_cast<double>(run_delay_ns()) * ticks_per_microsecond() / 1e3);
  }
};
using native_region_sites = region_sites<region_clock>;

}  // namespace weir::openmp
