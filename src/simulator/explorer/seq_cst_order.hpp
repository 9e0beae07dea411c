// The order S of sequentially consistent operations under weak memory [C++20, atomics.order], as far as it is forced.
//
// S is a total order, but a schedule does not decide it: a program may rely only on those pairs that every S must have.
// `precedents` states what precedes a point in S by them: for each word the number of the oldest value that an operation there, or
// after that point, may still read. Each operation adds pairs:
//
//   by its program   what its member did before, and what the member acquired from what others did before (strongly happens
//                    before)
//   by its word      an operation that reads or writes a value comes after those on the same values and earlier ones, and before
//                    all that read or write later values (coherence order)
//
// So one that reads an old value comes before the point at which a later value was written: what precedes it precedes that point
// as well, and whatever follows there. A read that would have to come after itself is not possible.
//
// A fence stands, for the words' pairs, for the accesses of its member: for those that the fence knows of, if they come before the
// fence, and for those that the same member executes later. (C++ names those of other members that it synchronizes with, too.)
#pragma once

#include <cstdint>
#include <vector>

#include "view.hpp"

namespace weir::explorer {

class seq_cst_order {
 public:
  using precedents = view;

  /// Not before the first call, everything is empty. `values`: of a new word.
  void grow(std::size_t words, unsigned members);

  /// The oldest value that a member may read there, and that this order does not exclude.
  unsigned oldest(unsigned member, std::uint32_t word, bool seq_cst) const;

  /// The member reads the value with this number. Before acquire(), because what it acquires need not precede the read itself.
  void read(unsigned member, std::uint32_t word, unsigned number, bool seq_cst);
  void acquire(unsigned member, std::uint32_t word, unsigned number);
  /// Reads without acquiring: a fence may do that later.
  void hear(unsigned member, std::uint32_t word, unsigned number);
  /// The member writes the latest value. `updates`: it continues what the previous value released.
  void write(unsigned member, std::uint32_t word, bool seq_cst, bool releases, bool updates);
  /// Of a mutex, which has one value.
  void unlock(unsigned member, std::uint32_t mutex) { words_[mutex].values.back().released = members_[member].before; }

  void acquire_by_fence(unsigned member);
  void release_by_fence(unsigned member) { members_[member].released = members_[member].before; }
  /// A sequentially consistent fence; `known`: the oldest values that the member may read, which become what the order tells.
  void fence(unsigned member, view& known);

  void forget(std::uint32_t word, unsigned values);
  void forget_member(unsigned member) { members_[member] = {}; }
  void add_to(digester& d) const;

 private:
  struct of_value {
    precedents its;       // the operations on this value and earlier ones
    precedents released;  // what its acquirer learns
  };
  struct of_word {
    std::vector<of_value> values = std::vector<of_value>(1);
    precedents readers;  // of the latest value
  };
  struct of_member {
    precedents before;    // its next operation
    precedents fence;     // its last fence
    precedents heard;     // what its next fence acquires
    precedents released;  // what its relaxed stores release since its last fence
  };
  template <class What>
  void for_each(What what);

  std::vector<of_word> words_;
  std::vector<of_member> members_;
};

}  // namespace weir::explorer
