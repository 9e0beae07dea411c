// SPDX-License-Identifier: Apache-2.0
// Which processors this process may really use: its affinity mask and its cgroup CPU quota.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weir {

/// A limit on processor time: `processors` = 1.5 means 150 ms of processor time in each 100 ms.
struct cpu_quota {
  double processors;
  std::string source;  ///< the file that says so
};

/// The processors in the affinity mask that the process started with, ascending. It is read once,
/// before main: a thread that later pins itself does not shrink the machine for the others.
const std::vector<int>& affinity();

/// The processors that the calling thread may run on now, ascending; none if the system does not say. Thread-safe.
std::vector<int> running_on();
/// Restricts the calling thread to these processors. 0, or why the system refuses (errno). Thread-safe.
int run_on(const std::vector<int>& processors);

/// The tightest CPU quota on this process, cgroup v1 or v2, over all the ancestors of its group.
/// Read again at most once a second. Thread-safe.
std::optional<cpu_quota> quota();

/// The same, from a file system rooted elsewhere (for tests): `root`/proc/self/cgroup and so on.
std::optional<cpu_quota> quota_below(const std::string& root);

/// min(processors in the affinity mask, quota); at least a small positive number. Thread-safe, as quota() is.
double usable_processors();
/// Does a quota leave the process less than the processors of its affinity mask? Thread-safe.
bool under_quota();

}  // namespace weir
