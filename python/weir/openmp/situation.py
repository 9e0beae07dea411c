"""Where series are measured: how many threads, on which processors, and under which load."""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROCESSORS = sorted(os.sched_getaffinity(0))
LEAST_QUOTA, MOST_QUOTA = 0.05, 4096  # processors
PERIOD_US = 100_000  # the kernel's own default, and that of containers


class Unavailable(Exception):
    """This machine cannot make the situation; the message says why and what would help."""


@dataclass(frozen=True)
class Load:
    """`none`; `beside`: another OpenMP program with as many threads; `quota:C`: C processors' time in each 100 ms."""

    kind: str = "none"
    quota: float = 0.0

    @staticmethod
    def read(text: str) -> "Load":
        """Raises ValueError for what is no load."""
        if text in ("none", "beside"):
            return Load(text)
        found = re.fullmatch(r"quota:(\d+(?:\.\d+)?)", text)
        if not found or not LEAST_QUOTA <= float(found.group(1)) <= MOST_QUOTA:
            raise ValueError(f"no load is called {text!r}; known are none, beside, quota:C")
        return Load("quota", float(found.group(1)))

    def __str__(self) -> str:
        return f"quota:{self.quota:g}" if self.kind == "quota" else self.kind


def load_in_words(load: str) -> str:
    """A load in words, for a title; empty for none."""
    if load == "none":
        return ""
    if load == "beside":
        return ", beside another OpenMP program"
    return f", a quota of {load.removeprefix('quota:')} processors"


@dataclass(frozen=True)
class Situation:
    members: int
    processors: tuple[int, ...]
    load: Load = Load()

    @property
    def capacity(self) -> float:
        """How many processors' time is there for the program: under `beside`, half."""
        if self.load.kind == "quota":
            return min(self.load.quota, len(self.processors))
        return len(self.processors) / (2 if self.load.kind == "beside" else 1)

    @property
    def shared(self) -> bool:
        return self.load.kind != "none"

    def words(self) -> str:
        return f"{self.members} threads on {len(self.processors)} processors{load_in_words(str(self.load))}"

    @contextmanager
    def launcher(self) -> Iterator[tuple[str, ...]]:
        """Words before a program's own that bring it here. Raises Unavailable."""
        words: tuple[str, ...] = ()
        if set(self.processors) != os.sched_getaffinity(0):
            words = ("taskset", "-c", ",".join(map(str, self.processors)))
        if self.load.kind != "quota":
            yield words
            return
        with limited(self.load.quota) as members:
            # It must be there before its runtime asks how many processors it has.
            yield ("/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', str(members), *words)


def situations(
    threads: Sequence[int] | None, processors: Sequence[int] | None, loads: Sequence[Load]
) -> tuple[Situation, ...]:
    """All combinations. By default there are as many threads as processors, and all processors are used."""
    counts, sizes = processors or [len(PROCESSORS)], threads or [len(PROCESSORS)]
    return tuple(Situation(n, tuple(PROCESSORS[:count]), one) for one in loads for count in counts for n in sizes)


@contextmanager
def limited(processors: float, root: Path = Path("/sys/fs/cgroup")) -> Iterator[Path]:
    """A control group with so many processors' time: the file that takes its members. Version 1 or 2 of cgroups."""
    for make in (_version_1, _version_2):
        folder = make(processors, root)
        if folder is not None:
            break
    else:
        raise Unavailable(
            f"a quota needs a cgroup with the cpu controller that we may change, and {root} has none: run as root"
        )
    try:
        yield folder / "cgroup.procs"
    finally:
        _removed(folder)


def _group(under: Path, write: Callable[[Path], None]) -> Path | None:
    number = 0
    while (folder := under / f"weir-{os.getpid()}-{number}").exists():
        number += 1
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        write(folder)
    except OSError:
        _removed(folder)
        return None
    return folder


def _version_1(processors: float, root: Path) -> Path | None:
    under = root / "cpu"
    if not (under / "cpu.cfs_quota_us").exists():
        return None

    def write(folder: Path) -> None:
        (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (folder / "cpu.cfs_quota_us").write_text(str(round(processors * PERIOD_US)))

    return _group(under, write)


def _version_2(processors: float, root: Path) -> Path | None:
    """Only where the controller is already handed down: else members would have to leave their group first."""
    if "cpu" not in _text(root / "cgroup.subtree_control").split():
        return None
    return _group(root, lambda folder: (folder / "cpu.max").write_text(f"{round(processors * PERIOD_US)} {PERIOD_US}"))


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _removed(folder: Path) -> None:
    """The kernel takes a group away only when its last member has gone, which is a moment after its end was seen."""
    for _ in range(50):
        try:
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.01)
