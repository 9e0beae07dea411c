// Native barriers, each with its own function that passes it; with WITH_SIMULATOR, the simulated ones are compiled beside them.
#ifdef WITH_SIMULATOR
#include "simulator/simulated.hpp"
#endif
#include <weir/barriers/counter.hpp>
#include <weir/barriers/distributed_sensor.hpp>
#include <weir/barriers/planned.hpp>
#include <weir/barriers/sense.hpp>
#include <weir/machine/native.hpp>

#define PASS(name, barrier, policy)                                                            \
  extern "C" void pass_##name(weir::barriers::barrier<weir::native, weir::waiting::policy>& b, \
                              unsigned member) {                                               \
    b.arrive_and_wait(member);                                                                 \
  }
PASS(counter_spin, counter, spin)
PASS(sense_auto, sense, automatic)
PASS(sense_block, sense, block)
PASS(sensors_share, distributed_sensor, share)
PASS(dissemination_spin, dissemination, spin)
PASS(mcs_auto, mcs, automatic)
PASS(combination_yield, combination, yield)

#ifdef WITH_SIMULATOR
#define SIMULATED(name, barrier, policy)                                                                 \
  void simulated_##name(weir::barriers::barrier<weir::simulator::simulated, weir::waiting::policy>& b, \
                        unsigned member) {                                                               \
    b.arrive_and_wait(member);                                                                           \
  }
SIMULATED(counter_spin, counter, spin)
SIMULATED(sense_auto, sense, automatic)
SIMULATED(sense_block, sense, block)
SIMULATED(sensors_share, distributed_sensor, share)
SIMULATED(dissemination_spin, dissemination, spin)
SIMULATED(mcs_auto, mcs, automatic)
SIMULATED(combination_yield, combination, yield)
#endif
