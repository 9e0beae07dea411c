"""What a program's own trace says of other numbers of processors: the completion time depends on the processor that has
the most to do [paper 000, section 4.2].

The trace holds what each of M threads computes between two barriers, in processor time. On P processors thread m is on
processor m mod P, and the time from barrier to barrier is that of the processor whose threads compute longest: of equal
pieces ceil(M/P). Overheads and memory that does not keep up are not in it, so it is the least that the program takes.
"""

from dataclasses import dataclass

import numpy as np

from weir.tracing.recording import BARRIER, Recording


@dataclass(frozen=True)
class Staircase:
    """`computing_s`: of all threads; `seconds`: by processors, from barrier to barrier the longest."""

    threads: int
    barriers: int
    computing_s: float
    seconds: dict[int, float]

    def share(self, processors: int) -> float:
        """Of the time on one processor."""
        return self.seconds[processors] / self.computing_s if self.computing_s else 1.0


def between_barriers(recording: Recording) -> np.ndarray:
    """Nanoseconds of computing: a row for each barrier and one for what comes after the last, a column for each
    thread."""
    columns = []
    for ends, ns in zip(recording.ends, recording.ns, strict=True):
        episode = np.concatenate([[0], np.cumsum(ends == BARRIER)[:-1]]) if len(ends) else np.empty(0, int)
        columns.append(np.bincount(episode.astype(int), weights=ns, minlength=recording.barriers + 1))
    return np.stack(columns, axis=1)


def staircase(recording: Recording) -> Staircase:
    """For 1 to as many processors as there are threads."""
    computing = between_barriers(recording)
    seconds = {}
    for processors in range(1, recording.members + 1):
        held = np.stack([computing[:, p::processors].sum(axis=1) for p in range(processors)], axis=1)
        seconds[processors] = float(held.max(axis=1).sum()) / 1e9
    return Staircase(recording.members, recording.barriers, float(computing.sum()) / 1e9, seconds)
