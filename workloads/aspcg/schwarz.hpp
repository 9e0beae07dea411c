// The additive Schwarz preconditioner: the sum of exact solutions in blocks that overlap, each zero outside its block.
#pragma once

#include <cstddef>
#include <vector>

#include "box.hpp"
#include "field.hpp"
#include "mesh.hpp"
#include "team.hpp"
#include "world.hpp"

namespace aspcg {

class schwarz {
 public:
  schwarz(const mesh& of, const world& ranks);

  /// What a thread of the team needs for itself.
  using scratch = std::vector<double>;
  scratch scratch_of_a_thread() const { return scratch(of_a_block_); }

  /// Solves in all blocks for `right`, whose ghost planes are set. All threads of a team call it, and leave when all solutions
  /// exist, including those of neighbouring processes.
  void solve(const field& right, scratch& own, team& threads);

  /// The sum of the solutions in a strip, always in the same order.
  void sum(field& into, int plane, int strip) const;

 private:
  struct place {
    int x, y, z;  // of a block among the blocks
  };

  place place_of(long own) const;
  // Where solutions begin: those of a block of this process, and a block's planes from or for another one.
  std::size_t here(const place& p) const;
  std::size_t beside(const place& p) const;
  const double* plane_of(const place& p, int plane) const;
  void hand_over(const place& p);

  const mesh& mesh_;
  const world& world_;
  box_solver boxes_;
  std::size_t of_a_block_, of_a_plane_;
  // The solutions of this process's blocks, and for those of the next layers, whose solutions overlap with its planes.
  std::vector<double> solutions_, to_below_, to_above_, from_below_, from_above_;
};

}  // namespace aspcg
