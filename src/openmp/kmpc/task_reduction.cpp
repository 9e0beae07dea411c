// Task reductions, as Clang compiles them: the compiler's code has functions that initialize, destroy and combine a copy, and the
// runtime calls them. A copy is initialized when a task first asks for it.
//
// If the size of a variable is known only at run time, as that of an array section, these functions take it from a thread-local
// variable, which the compiler's code sets in a task before the task asks for its copy. Such a copy is combined at the task's
// end, by the same thread: the thread that ends the group may have executed none of the tasks.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "openmp/kmpc/interface.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/tasks/task.hpp"
#include "openmp/tasks/task_group.hpp"

using namespace weir::openmp;

namespace {

/// The compiler's description of a variable. Before LLVM 10 it had no `original`.
struct older_description {
  void* variable;
  std::size_t bytes;
  void *begin, *end, *add;
  unsigned flags;
};
struct description {
  void* variable;
  void* original;
  std::size_t bytes;
  void *begin, *end, *add;
  unsigned flags;
};

using function = void (*)(void*);
using two = void (*)(void*, void*);

constexpr std::size_t line = 64;
std::size_t lines(std::size_t bytes) { return (bytes + line - 1) / line * line; }

class reductions final : public task_reductions {
 public:
  reductions(const team& of, const description* d, std::size_t count)
      : reductions(of, d, count, items_of(d, count)) {}

  // The copies are combined into the variables in the order of the members' numbers.
  ~reductions() override {
    for (unsigned n = 0; n < of_.size; ++n)
      for (const item& i : items_)
        if (begun(n, i)) finish(n, i);
    std::free(copies_);
  }

  bool sized_at_run_time(const item& i) const { return (descriptions_[index(i)].flags & sized_late) != 0; }

  /// For an item that is sized at run time: the calling thread's task has finished with the copy. If `goes_on`, another task that
  /// the thread has interrupted continues with the copy.
  void finish_early(const member& me, const item& i, bool goes_on) const {
    const unsigned n = number(me);
    combining_.take();
    finish(n, i);
    combining_.release();
    begun(n, i) = false;
    if (goes_on) prepare(n, i);
  }

 private:
  static constexpr unsigned sized_late = 1;

  reductions(const team& of, const description* d, std::size_t count, std::vector<item> items)
      : task_reductions(of, room(of.size * total(d, count)), total(d, count), std::move(items)),
        descriptions_(d, d + count),
        begun_(std::make_unique<bool[]>(of.size * count)) {}

  static std::size_t total(const description* d, std::size_t count) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += lines(d[i].bytes);
    return bytes;
  }
  static std::vector<item> items_of(const description* d, std::size_t count) {
    std::vector<item> items;
    for (std::size_t i = 0, offset = 0; i < count; offset += lines(d[i++].bytes))
      items.push_back({static_cast<char*>(d[i].variable), offset});
    return items;
  }
  static char* room(std::size_t bytes) {
    void* const memory = std::aligned_alloc(line, bytes != 0 ? bytes : line);
    if (memory == nullptr) std::abort();
    return static_cast<char*>(memory);
  }

  bool& begun(unsigned n, const item& i) const { return begun_[n * items_.size() + index(i)]; }

  // Only tasks of the member itself ask for its copy, so no other thread is here.
  void prepare(unsigned n, const item& i) const override {
    if (begun(n, i)) return;
    begun(n, i) = true;
    const description& d = descriptions_[index(i)];
    void* const copy = copies_of(n) + i.offset;
    if (d.begin == nullptr)
      std::memset(copy, 0, d.bytes);
    else
      reinterpret_cast<two>(d.begin)(copy, d.original);  // an older function reads its first argument alone
  }

  void finish(unsigned n, const item& i) const {
    const description& d = descriptions_[index(i)];
    void* const copy = copies_of(n) + i.offset;
    reinterpret_cast<two>(d.add)(i.variable, copy);
    if (d.end != nullptr) reinterpret_cast<function>(d.end)(copy);
  }

  const std::vector<description> descriptions_;
  const std::unique_ptr<bool[]> begun_;
  mutable lock combining_;  // into variables, before the group's end
};

/// The copies that must be combined at the ends of the tasks that the thread executes; the copies of the innermost task come
/// last.
struct early {
  const task* of;
  const reductions* in;
  const task_reductions::item* item;
  bool operator==(const early&) const = default;
};
thread_local std::vector<early> at_ends;

void* attach(int count, const description* d) {
  member& me = self();
  me.executing->group->reduces = std::make_unique<reductions>(*me.of, d, static_cast<std::size_t>(count));
  return me.executing->group;
}

std::vector<description> of_now(int count, const older_description* d) {
  std::vector<description> now;
  for (int i = 0; i < count; ++i)
    now.push_back({d[i].variable, d[i].variable, d[i].bytes, d[i].begin, d[i].end, d[i].add, d[i].flags});
  return now;
}

}  // namespace

void weir::openmp::combine_at_end(member& me, const task& t) {
  while (!at_ends.empty() && at_ends.back().of == &t) {
    const early ending = at_ends.back();
    at_ends.pop_back();
    const bool goes_on = std::ranges::any_of(at_ends, [&](const early& e) { return e.in == ending.in && e.item == ending.item; });
    ending.in->finish_early(me, *ending.item, goes_on);
  }
}

extern "C" {

void* __kmpc_taskred_init(int, int count, const description* d) { return attach(count, d); }
void* __kmpc_task_reduction_init(int, int count, const older_description* d) { return attach(count, of_now(count, d).data()); }

// For a region or a worksharing construct: each member describes its own copy, which the construct itself reduces. The copies of
// the member's tasks are combined into this copy, so no member needs to know about the others.
void* __kmpc_taskred_modifier_init(source_line*, int, int, int count, const description* d) {
  begin_task_group(self(), true);
  return attach(count, d);
}
void* __kmpc_task_reduction_modifier_init(source_line*, int, int, int count, const older_description* d) {
  begin_task_group(self(), true);
  return attach(count, of_now(count, d).data());
}
void __kmpc_task_reduction_modifier_fini(source_line*, int, int) { end_task_group(self()); }

// Looks in the given group, or otherwise in the groups around the task.
void* __kmpc_task_reduction_get_th_data(int, void* group, void* address) {
  const member& me = self();
  const auto [in, item] = find_reduction(group != nullptr ? static_cast<const task_group*>(group) : me.executing->group, address);
  void* const copy = in->copy(me, *item);
  // Task reductions of GCC's objects in the same program are of another class.
  const auto* const by_compiler = dynamic_cast<const reductions*>(in);
  if (by_compiler != nullptr && by_compiler->sized_at_run_time(*item) && in_explicit_task(me)) {
    const early e{me.executing, by_compiler, item};
    if (std::ranges::find(at_ends, e) == at_ends.end()) at_ends.push_back(e);
    combines_at_end(*me.executing);
  }
  return copy;
}

}  // extern "C"
