"""What a session over MPI measures: which barriers, of how many processes and threads."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from weir.base import native
from weir.base.names import Unknown

DEFAULT, TEAM = "weir", "team"
BARRIER, OMP, PAIRING = "MPI_Barrier", "omp", "omp+MPI_Barrier"
MOST_HERE = 1024
PAPERS = "team:sense+mcs"  # the combined barrier of Bauskar and Sangle

# Beside the default and each plan by messages.
OTHER_PROCESSES = (
    "weir:dissemination/persistent",
    "weir:mcs/persistent",
    "weir:dissemination/rma",
    "weir:linear/shared",
    "weir:dissemination/shared",
    "weir:mcs/shared",
    "weir:combination/shared",  # where there is one node
    BARRIER,
    "MPI_Ibarrier",
)
QUICK_PROCESSES = (DEFAULT, "weir:dissemination", "weir:mcs", "weir:linear/shared", BARRIER, "MPI_Ibarrier")
TEAMS = (
    TEAM,
    PAPERS,
    "team:sense+linear/shared",
    "team:sense+combination/shared",
    "team:dissemination+dissemination",
    "team:mcs+mcs/shared",
    PAIRING,
)
QUICK_TEAMS = (TEAM, PAPERS, PAIRING)
THREADS = (TEAM, "team:sense", "team:dissemination", OMP)  # of one process


@dataclass(frozen=True)
class Size:
    processes: int
    threads: int

    @property
    def members(self) -> int:
        return self.processes * self.threads


def all_of_processes() -> tuple[str, ...]:
    plans = (f"weir:{name}" for name in native.barriers("by_messages"))
    return DEFAULT, *plans, *OTHER_PROCESSES


def subjects(size: Size, quick: bool, only: Sequence[str] | None = None) -> tuple[str, ...]:
    """The barriers that there are for so many processes and threads."""
    if size.threads == 1:
        usual = QUICK_PROCESSES if quick else all_of_processes()
        fits = [name for name in only or () if name.partition(":")[0] == DEFAULT or name.startswith("MPI_")]
    else:
        usual = THREADS if size.processes == 1 else QUICK_TEAMS if quick else TEAMS
        fits = [name for name in only or () if name.partition(":")[0] == TEAM]
        fits += [name for name in only or () if name == (OMP if size.processes == 1 else PAIRING)]
    return tuple(fits) if only else usual


def check_size(asked: Sequence[Size]) -> None:
    """Without a launcher of the user's all are processes and threads of this machine. Raises Unknown."""
    for size in asked:
        if size.members > MOST_HERE:
            raise Unknown(
                f"--processes {size.processes} of --threads {size.threads}: this machine is given at most {MOST_HERE} "
                "in all; more are for other machines, by --launcher"
            )


def sizes(processes: Sequence[int] | None, threads: Sequence[int] | None, quick: bool) -> list[Size]:
    """All pairs of what was asked for. Else two processes to many times more than processors; threads and processes
    no more than that together; and threads alone."""
    processors = len(os.sched_getaffinity(0))
    largest = max(8 if quick else 16, processors)
    usual = [2**k for k in range(1, largest.bit_length()) if 2**k <= largest]
    made = [Size(p, t) for t in threads or ((1, 2) if quick else (1, 2, 4)) for p in processes or usual]
    if processes is None or threads is None:
        most = max(largest // 2 if quick else largest, 4)
        made = [s for s in made if s.threads == 1 or s.members <= most or (processes and threads)]
    alone = [] if processes else [Size(1, t) for t in threads or ((2,) if quick else usual)]
    return [s for s in made + alone if s.members > 1]
