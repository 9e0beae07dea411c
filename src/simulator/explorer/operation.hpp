// A member's operation on the explored machine: one operation is one step of a schedule.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::explorer {

/// The objects of operations, numbered in the order of construction.
enum class object_kind : std::uint8_t { word, gate, mutex, condition };

struct operation {
  enum class kind : std::uint8_t {
    load,
    store,
    update,  ///< an atomic read-modify-write
    spin,    ///< a load that is possible only when the word has the value that the member waits for
    fence,   ///< of this member, by its order
    heavy_fence,  ///< the gate's, for all members
    sleep,   ///< futex: unless the word has changed
    wake,    ///< futex: all
    wake_one,  ///< futex: any one
    lock,
    unlock,
    wait,    ///< of a condition variable
    notify,  ///< wakes all that wait for it
    end,     ///< the member has finished
  };
  enum class change : std::uint8_t { add, subtract, set_bits, keep_bits, exchange, compare_exchange };

  kind what = kind::end;
  change how = change::add;
  std::memory_order order = std::memory_order_seq_cst;
  std::uint8_t bytes = 8;
  std::uint32_t object = 0;
  std::uint32_t mutex = 0;    // wait: the mutex that it releases while it waits
  std::uint64_t operand = 0;  // stored, added, ..., expected by sleep
  std::uint64_t expected = 0;  // compare_exchange

  std::uint64_t changed(std::uint64_t old) const {
    const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
    switch (how) {
      case change::add: return (old + operand) & mask;
      case change::subtract: return (old - operand) & mask;
      case change::set_bits: return old | operand;
      case change::keep_bits: return old & operand;
      case change::exchange: return operand;
      case change::compare_exchange: return old == expected ? operand : old;
    }
    return old;
  }
  /// Of the order of sequentially consistent operations, fences aside.
  bool is_seq_cst_access() const {
    return order == std::memory_order_seq_cst && (looks() || what == kind::store || what == kind::update);
  }
  bool is_fence() const { return what == kind::fence || what == kind::heavy_fence; }
  /// May it read an old value under weak memory?
  bool looks() const {
    return what == kind::load || what == kind::spin || (what == kind::update && how == change::compare_exchange);
  }
  bool refused(std::uint64_t old) const { return how == change::compare_exchange && old != expected; }
};

}  // namespace weir::explorer
