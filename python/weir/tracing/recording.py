"""Runs a program with its computing recorded: the file of src/profile/recording.h, before and after."""

import os
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from weir.profile import counting
from weir.profile.counting import NoProgram

LIBRARY = "libweir-trace.so"
MAGIC = b"WEIRTRAC"
HEADER = struct.Struct("<8sIIQQIIIIII2I")
HEADER_BYTES, CHUNK_BYTES = 4096, 65536
ROOM = 65536  # chunks; the file has holes where there are none
MOST_BARRIERS = 1_000_000
BARRIER, LOCK, UNLOCK, LAST = range(4)


class NotRecorded(NoProgram):
    """The program ran, and there is no trace of it; `status` is its own."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True)
class Recording:
    """Of each member what it does: `ends` (BARRIER, ...) with its `locks` after `ns` of computing."""

    ends: list[np.ndarray]
    locks: list[np.ndarray]
    ns: list[np.ndarray]
    skipped: int  # barriers
    cut: bool  # it went on after the last barrier here
    torn: bool  # it ended where its members had passed different barriers
    wall_s: float
    status: int  # of the program; negative: the signal that ended it

    @property
    def members(self) -> int:
        return len(self.ends)

    @property
    def barriers(self) -> int:
        return int((self.ends[0] == BARRIER).sum())


Read = Callable[[str, int, float], Recording]  # raises NotRecorded


@contextmanager
def recorder(threads: int | None, skip: int, most: int) -> Iterator[tuple[dict[str, str], Read]]:
    """Variables that make a program write down what it computes, beside what else it preloads; and what reads that when
    the program has ended, from its words, its status and its time. Raises NoProgram."""
    preloaded = os.environ.get("LD_PRELOAD")
    library = counting.library(LIBRARY)
    with tempfile.NamedTemporaryFile(prefix="weir-trace-") as file:
        file.truncate(HEADER_BYTES + ROOM * CHUNK_BYTES)
        file.write(HEADER.pack(MAGIC, ROOM, 0, skip, most, *[0] * 8))
        file.flush()
        variables = {
            "WEIR_TRACE_FILE": file.name,
            "LD_PRELOAD": f"{library}:{preloaded}" if preloaded else str(library),
            "WEIR_THREADS": "kernel",  # whose processor time each is
            # Waiting is not recorded, and where members share processors waiters should not hold others up.
            "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "passive"),
            "OMP_DYNAMIC": os.environ.get("OMP_DYNAMIC", "false"),
        }
        if threads is not None:
            variables["OMP_NUM_THREADS"] = str(threads)
        yield variables, lambda program, status, wall: _read(Path(file.name), skip, program, status, wall)


def record(words: Sequence[str], threads: int | None, skip: int, most: int) -> Recording:
    """Its own input and output are untouched. Raises NoProgram."""
    with recorder(threads, skip, most) as (variables, read):
        return read(words[0], *counting.execute(words, variables, "trace"))


def least(runs: Sequence[Recording]) -> Recording:
    """Of each piece of computing, of several runs of one program. Raises NotRecorded if they did different things.

    What disturbs a run only adds to it: interrupts, other programs on the same core, caches lost to another member."""
    first = runs[0]
    for other in runs[1:]:
        for a, b in ((first.ends, other.ends), (first.locks, other.locks)):
            if len(a) != len(b) or not all(map(np.array_equal, a, b)):
                raise NotRecorded(
                    "the program did not do the same in each run: its members passed other barriers or took other "
                    "locks, so its times cannot be compared. Leave --runs out",
                    first.status,
                )
    ns = [np.min(pieces, axis=0) for pieces in zip(*(run.ns for run in runs), strict=True)]
    return replace(first, ns=ns)


def _read(path: Path, skip: int, program: str, status: int, wall: float) -> Recording:
    with path.open("rb") as file:
        head = file.read(HEADER_BYTES)
        *_, taken, members, refused, _, reading_ns, cut, size, other = HEADER.unpack_from(head)
        if refused:
            words = [w.decode() for w in head[HEADER.size :].split(b"\0")]
            reasons = [f"{w} ({size} and {other} threads)" if bit == 1 and size else w for bit, w in enumerate(words)]
            why = "; ".join(w for bit, w in enumerate(reasons) if refused >> bit & 1)
            raise NotRecorded(f"{program} cannot be recorded: {why}", status)
        events: list[list[np.ndarray]] = [[] for _ in range(members)]
        for number in range(min(taken, ROOM)):
            file.seek(HEADER_BYTES + number * CHUNK_BYTES)
            member, used = struct.unpack("<II", file.read(8))
            events[member].append(np.frombuffer(file.read(8 * used), np.uint64))
    whole, torn = _whole([np.concatenate(one) if one else np.empty(0, np.uint64) for one in events])
    if not members or not (_ends(whole[0]) == BARRIER).any():
        raise NotRecorded(_nothing(program, members, torn, skip, status), status)
    computed = [np.maximum((one >> np.uint64(12)).astype(np.int64) - reading_ns, 0) for one in whole]
    locks = _in_order([(one & np.uint64(1023)).astype(np.int64) for one in whole], [_ends(one) for one in whole])
    return Recording([_ends(one) for one in whole], locks, computed, skip, bool(cut), torn, wall, status)


def _nothing(program: str, members: int, torn: bool, skip: int, status: int) -> str:
    if torn:
        return f"{program} ended before all of its members had passed a barrier of those to be recorded"
    if members:
        return f"{program} passed no more than the {skip} barriers that are left out: make --skip smaller"
    if status != 0:
        return f"{program} ended with status {status} and had begun no region of several threads"
    return (
        f"{program} began no region of several threads that could be recorded. Either it has none (--threads gives it "
        "more), or it was built by another compiler than GCC, or its runtime is linked statically (link it "
        "dynamically), or it may not be preloaded into (setuid)"
    )


def _ends(events: np.ndarray) -> np.ndarray:
    return (events >> np.uint64(10) & np.uint64(3)).astype(np.int8)


def _whole(events: list[np.ndarray]) -> tuple[list[np.ndarray], bool]:
    """As far as all members passed the same barriers, and whether some had passed more."""
    passed = [np.flatnonzero(_ends(of_member) == BARRIER) for of_member in events]
    least = min(map(len, passed), default=0)
    if all(len(of_member) == least for of_member in passed):
        return events, False
    return [of_member[: at[least - 1] + 1 if least else 0] for of_member, at in zip(events, passed, strict=True)], True


def _in_order(locks: list[np.ndarray], ends: list[np.ndarray]) -> list[np.ndarray]:
    """Locks have the places of their addresses in a table: here they are counted as they are met."""
    numbers: dict[int, int] = {}
    for of_member, what in zip(locks, ends, strict=True):
        for lock in of_member[(what == LOCK) | (what == UNLOCK)]:
            numbers.setdefault(int(lock), len(numbers))
    return [np.array([numbers.get(int(lock), 0) for lock in of_member], np.int64) for of_member in locks]
