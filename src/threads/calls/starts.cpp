// Functions that start a program. It inherits the affinity mask of the kernel thread that starts it, which is perhaps not the
// program's own (WEIR_SHARE=node), so others are told before and after.
#include "threads/posix/interpose.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <optional>

#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include "threads/program/program_thread.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/threads.hpp"

namespace {

using weir::threads::tell_of_starts;
using weir::threads::told_of_starts;

/// While a program is started: the member stays in this kernel thread. In the child of a vfork(), whose memory is its parent's,
/// nothing may remain: it comes back as another program.
class starting {
 public:
  starting() : tell_(tell_of_starts.load(std::memory_order_relaxed)) {
    weir::threads::detach_to_make_child();
    if (tell_ == nullptr) return;
    if (!weir::threads::is_in_child()) here_.emplace();
    tell_->begins();
  }
  starting(const starting&) = delete;
  ~starting() {
    if (tell_ != nullptr) tell_->ends();
  }

 private:
  const told_of_starts* const tell_;
  std::optional<weir::threads::without_ticks> here_;
};

/// Calls `execute(words, rest)` with the words of such a list, which ends with a null pointer, and what follows it. No memory is
/// taken: a handler of a signal may execute a program.
template <class Execute>
int with_words(const char* first, va_list list, Execute execute) {
  va_list again;
  va_copy(again, list);
  std::size_t count = 1;
  for (const char* word = first; word != nullptr; word = va_arg(list, const char*)) ++count;
  auto** const words = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
  words[0] = const_cast<char*>(first);
  for (std::size_t i = 1; i < count; ++i) words[i] = va_arg(again, char*);
  const int result = execute(words, again);
  va_end(again);
  return result;
}

}  // namespace

/// `refused`: the result where the C library has no such function.
#define STARTS(result, name, parameters, arguments, refused) \
  INTERPOSE(result, name, parameters) {                      \
    auto* const call = next_##name.get();                    \
    if (call == nullptr) return errno = ENOSYS, refused;     \
    const starting meanwhile;                                \
    return call arguments;                                   \
  }

using spawn_actions = posix_spawn_file_actions_t;
using spawn_attributes = posix_spawnattr_t;
STARTS(int, posix_spawn,
       (pid_t * child, const char* path, const spawn_actions* a, const spawn_attributes* b, char* const* words,
        char* const* environment),
       (child, path, a, b, words, environment), ENOSYS)
STARTS(int, posix_spawnp,
       (pid_t * child, const char* file, const spawn_actions* a, const spawn_attributes* b, char* const* words,
        char* const* environment),
       (child, file, a, b, words, environment), ENOSYS)
STARTS(int, system, (const char* command), (command), -1)
STARTS(FILE*, popen, (const char* command, const char* how), (command, how), nullptr)

// Where they succeed, all other threads of the process end, or it was the child of a vfork().
STARTS(int, execve, (const char* path, char* const* words, char* const* environment), (path, words, environment), -1)
STARTS(int, execv, (const char* path, char* const* words), (path, words), -1)
STARTS(int, execvp, (const char* file, char* const* words), (file, words), -1)
STARTS(int, execvpe, (const char* file, char* const* words, char* const* environment), (file, words, environment), -1)
STARTS(int, fexecve, (int file, char* const* words, char* const* environment), (file, words, environment), -1)
STARTS(int, execveat, (int folder, const char* path, char* const* words, char* const* environment, int how),
       (folder, path, words, environment, how), -1)

#define EXECUTES_LIST(name, execute)                                  \
  INTERPOSE_UNGUARDED(int, name, (const char* what, const char* first, ...)) { \
    va_list list;                                                     \
    va_start(list, first);                                            \
    const int result = with_words(first, list, [&](char** words, [[maybe_unused]] va_list rest) { return execute; }); \
    va_end(list);                                                     \
    return result;                                                    \
  }
EXECUTES_LIST(execl, execv(what, words))
EXECUTES_LIST(execlp, execvp(what, words))
EXECUTES_LIST(execle, execve(what, words, va_arg(rest, char**)))

namespace {
// Known before they are called: by the child of a fork, or by a handler of a signal, which may have interrupted the dynamic
// linker.
[[gnu::constructor]] void when_loaded() {
  next_execve.get();
  next_execv.get();
  next_execvp.get();
  next_execvpe.get();
  next_fexecve.get();
  next_execveat.get();
}
}  // namespace
