// How many threads of other programs want a processor now.
#pragma once

#include <optional>

namespace weir {

/// Of the whole machine: those that run or are ready to run, except this process's own, and its parent's first one, which may still be
/// about to wait for this process. Nothing: the system does not tell. It takes about ten microseconds where there are none, and as much
/// for each thread of this process otherwise. Thread-safe.
std::optional<unsigned> others_running();

/// How many threads run or are ready to run, by the text of /proc/loadavg [proc_loadavg(5)].
std::optional<unsigned> running_in(const char* loadavg);
/// Does a thread or a process run, or is it ready to, by the text of its file `stat` [proc_pid_stat(5)]?
bool runs_in(const char* stat);

}  // namespace weir
