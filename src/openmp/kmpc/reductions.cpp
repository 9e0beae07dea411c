// Reductions, as Clang and Intel's compilers compile them. A member is told how to combine its values: by a number that the
// compiler's code branches on.
#include "openmp/forking/barrier.hpp"
#include "openmp/kmpc/interface.hpp"
#include "openmp/reductions/reduction.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/tasks/at_barriers.hpp"

using namespace weir::openmp;

namespace {

enum : int { not_at_all = 0, plainly = 1, atomically = 2 };

/// The first half of both constructs. The critical section of `critical` is the construct's own.
int begin(member& me, const values_of_member& values, lock* critical, bool at_once) {
  me.reduces_by = way_of(me, values);
  switch (me.reduces_by) {
    case reduction_by::tree:
      return gather(me, values, at_once) != 0 ? plainly : not_at_all;
    case reduction_by::measured_tree:
      return gather_measured(me, values, at_once) != 0 ? plainly : not_at_all;
    case reduction_by::atomics: return atomically;
    case reduction_by::locking: critical->take();
  }
  return plainly;
}

bool has_atomics(const source_line* at) { return at != nullptr && (at->flags & source_line::atomic_reduction) != 0; }

void release_lock(const member& me, lock* critical) {
  if (me.reduces_by == reduction_by::locking) critical->release();
}

}  // namespace

extern "C" {

int __kmpc_reduce_nowait(source_line* at, int, int variables, std::size_t bytes, void* list, combine with, lock* critical) {
  return begin(self(), {list, variables, bytes, with, has_atomics(at)}, critical, true);
}
// Called by members that have combined their values without atomic operations.
void __kmpc_end_reduce_nowait(source_line*, int, lock* critical) { release_lock(self(), critical); }

// The construct is a barrier too.
int __kmpc_reduce(source_line* at, int, int variables, std::size_t bytes, void* list, combine with, lock* critical) {
  member& me = self();
  complete_tasks(me);
  return begin(me, {list, variables, bytes, with, has_atomics(at)}, critical, false);
}
// Called by members that have combined their values in any way.
void __kmpc_end_reduce(source_line*, int, lock* critical) {
  member& me = self();
  if (me.reduces_by == reduction_by::tree || me.reduces_by == reduction_by::measured_tree) return release_reduction(me);
  release_lock(me, critical);
  barrier(me);
}

}  // extern "C"
