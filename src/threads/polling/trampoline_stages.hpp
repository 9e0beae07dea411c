// Writers of a trampoline's entry: handlers that want one, on any threads, and the thread that places it.
//
//   none ------- want() ------> writing ----> wanted ---- place_if_wanted() ---> placed, or refused
//   none, or refused, without a stub ---- take_for() another instruction ----> writing ----> none
//   placed ----- want() ------> writing ----> wanted: a library has been loaded at the same address again
//
// Nobody waits: a handler that finds the entry in another stage leaves it. The text is a template over a machine, so that the
// explorer checks it (tests/explorer/trampolines_test.cpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "threads/support/native_threads.hpp"

namespace weir::threads {

template <class Machine>
struct basic_trampoline {
  template <class T>
  using word = typename Machine::template word<T>;
  enum stage : std::uint32_t { none, writing, wanted, placed, refused };

  // relaxed, all: written before the stage, or before the jump that leads here.
  word<std::uintptr_t> at{0};              // the replaced instruction. trampoline_entry.cpp has it as the first member
  word<std::uintptr_t> first{0};           // the first instruction of the loop; 0, if the loop does more than poll
  word<std::uintptr_t> stub{0};
  word<std::uintptr_t> go_on{0};           // where the thread goes on: behind the instruction, or at its copy
  word<std::uint64_t> text{0};             // of the instruction
  word<std::uint32_t> bytes{0};
  word<std::uint32_t> distance_at{0};      // where the text has a distance to memory; 0: nowhere
  word<std::uint32_t> found{0};            // how often somebody was there and did not only poll
  word<std::uint32_t> is{none};

  struct demand {
    std::uintptr_t at, first;
    std::uint64_t text;
    std::uint32_t bytes, distance_at;
  };

  /// `pause`, or a nop.
  bool does_nothing() const {
    const std::uint64_t code = text.load(std::memory_order_relaxed);
    return code == 0x90f3 || code == 0x90;
  }
  bool is_refused() const { return is.load(std::memory_order_relaxed) == refused; }
  bool is_placed() const { return is.load(std::memory_order_relaxed) == placed; }

  /// For a handler: from now on the entry is for the instruction at this address, if it has no trampoline and nobody wants one.
  bool take_for(std::uintptr_t instruction) {
    std::uint32_t before = is.load(std::memory_order_relaxed);
    if (stub.load(std::memory_order_relaxed) != 0 || (before != none && before != refused)) return false;
    // acquire: the stub, if the entry has been placed meanwhile.
    if (!is.compare_exchange_strong(before, writing, std::memory_order_acquire)) return false;
    const bool is_free = stub.load(std::memory_order_relaxed) == 0;
    if (is_free) {
      at.store(instruction, std::memory_order_relaxed);
      found.store(0, std::memory_order_relaxed);
    }
    is.store(is_free ? none : before, std::memory_order_release);  // release: for want()
    return is_free;
  }

  /// For a handler: the entry is to be placed. False: it is for another instruction by now, or another handler writes it.
  bool want(const demand& demanded) {
    std::uint32_t before = is.load(std::memory_order_relaxed);
    if (before != none && before != placed) return false;
    // acquire: what another handler has written, and the stub.
    if (!is.compare_exchange_strong(before, writing, std::memory_order_acquire)) return false;
    const bool has_other_stub =
        stub.load(std::memory_order_relaxed) != 0 &&
        (text.load(std::memory_order_relaxed) != demanded.text || bytes.load(std::memory_order_relaxed) != demanded.bytes);
    if (at.load(std::memory_order_relaxed) != demanded.at || has_other_stub) {
      is.store(before, std::memory_order_release);  // release: as it was, for the next one
      return false;
    }
    text.store(demanded.text, std::memory_order_relaxed);
    bytes.store(demanded.bytes, std::memory_order_relaxed);
    first.store(demanded.first, std::memory_order_relaxed);
    distance_at.store(demanded.distance_at, std::memory_order_relaxed);
    is.store(wanted, std::memory_order_release);  // release: the instruction and the ends
    return true;
  }

  /// For the thread that places trampolines. place(entry) returns whether it has.
  template <class Place>
  void place_if_wanted(Place place) {
    if (is.load(std::memory_order_acquire) != wanted) return;  // acquire: what the handler has written
    const std::uint32_t then = place(*this) ? placed : refused;
    // release: the stub, for those who want it again, or the entry for another instruction
    is.store(then, std::memory_order_release);
  }

  /// An entry in this stage may be wanted again.
  void forget(stage in) {
    if (is.load(std::memory_order_relaxed) != in) return;  // a child of a fork shall not copy the page
    std::uint32_t before = in;
    is.compare_exchange_strong(before, none, std::memory_order_relaxed);
  }
};

using trampoline = basic_trampoline<native_threads>;

}  // namespace weir::threads
