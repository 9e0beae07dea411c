// The order S of sequentially consistent operations under weak memory [C++20, atomics.order], as far as it is forced.
//
// The schedule does not decide S: a program may rely only on the pairs that every S must have. For a point in S, `precedents`
// says what comes before it by those pairs: for each word the number of the oldest value that an operation from there on may
// read. Each operation adds pairs:
//
//   happens before   what its member did before, and what the member acquired from others, of what they did before they released
//                    (strongly happens before: less than what a member knows)
//   coherence        it comes after the operations on the value that it reads or overwrites, and on earlier values, and before
//                    those on later values
//
// So if a member reads an old value, what precedes that read also precedes each point that has a later value of the word before
// it. A read that would have to come before itself is not possible.
//
// A sequentially consistent fence has a point in S, too. By coherence it comes after the operations before the accesses that it
// knows of, and before the operations after those that its member executes later. C++ adds the later accesses of members that
// have synchronized with the fence; without these pairs more is possible. Two fences have the order of the schedule
// (rules_memory.cpp).
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
    precedents operations;  // the operations on this value and earlier ones
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
