// How many threads want a processor now.
#pragma once

#include <optional>

namespace weir {

/// How many threads of the whole machine run or are ready to run, the calling one among them. Nothing: the system does not tell.
/// It takes about ten microseconds. Thread-safe.
std::optional<unsigned> running_now();

/// Without those of this process, and without its parent's first one, which may still be about to wait for this process. Where
/// there are others it takes ten microseconds more for each thread of this process. Thread-safe.
std::optional<unsigned> others_running();

/// The number by the text of /proc/loadavg [proc_loadavg(5)].
std::optional<unsigned> running_in(const char* loadavg);
/// Does a thread or a process run, or is it ready to, by the text of its file `stat` [proc_pid_stat(5)]?
bool runs_in(const char* stat);

}  // namespace weir
