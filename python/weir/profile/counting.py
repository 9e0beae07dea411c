"""Runs a program with its OpenMP directives counted: the table of src/profile/counts.h, before and after."""

import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weir.base import native
from weir.base.signals import handled

HEADER_BYTES, ROW_BYTES, PATH_BYTES = 4096, 4096, 248
ROWS = 4096  # threads of all processes; the file has holes where there are none
MAGIC = b"WEIRPROF"


class NoProgram(Exception):
    """The program cannot be run, or was not counted; the message says what to do."""


@dataclass(frozen=True)
class Directive:
    """What was executed, on which runtime, by a team of which size."""

    name: str
    threads: int
    runtime: str  # the library's path, links followed


Counts = tuple[Counter[Directive], int, int]  # and how many threads are not among them, and directives of others


@dataclass(frozen=True)
class Profile:
    counts: Counter[Directive]
    wall_s: float
    status: int  # of the program; negative: the signal that ended it
    uncounted: int  # threads that found no room in the table
    full: int  # directives that found none in their thread's row: more than 240 kinds and team sizes


def library(name: str = "libweir-profile.so") -> Path:
    found = native.library(name)
    if found is None:
        raise NoProgram(f"{name} was not found. {native.how_to_get(name)}")
    return found


def _program(words: Sequence[str], command: str) -> str:
    if not words:
        raise NoProgram(f"no program was named: weir {command} -- PROGRAM [ARGUMENTS]")
    found = shutil.which(words[0])
    if found is None:
        there = Path(words[0]).exists()
        raise NoProgram(f"{words[0]}: " + ("it is there but cannot be executed" if there else "no such program"))
    return found


@contextmanager
def counters(preloaded: str | None) -> Iterator[tuple[dict[str, str], Callable[[], Counts]]]:
    """Variables that make a program count, beside what else it preloads, and what was counted, as `read` has it. Raises
    NoProgram."""
    preload = library()
    with tempfile.NamedTemporaryFile(prefix="weir-profile-") as file:
        file.truncate(HEADER_BYTES + ROWS * ROW_BYTES)
        file.write(MAGIC + struct.pack("<I", ROWS))
        file.flush()
        both = f"{preload}:{preloaded}" if preloaded else str(preload)
        yield {"WEIR_PROFILE_FILE": file.name, "LD_PRELOAD": both}, lambda: read(Path(file.name))


def run(words: Sequence[str]) -> Profile:
    """Its own input and output are untouched. Raises NoProgram."""
    with counters(os.environ.get("LD_PRELOAD")) as (variables, counted):
        status, wall = execute(words, variables, "profile")
        counts, uncounted, full = counted()
    return Profile(counts, wall, status, uncounted, full)


def execute(words: Sequence[str], variables: Mapping[str, str], command: str) -> tuple[int, float]:
    """Its status, negative for the signal that ended it, and how many seconds it ran. Raises NoProgram."""
    program = _program(words, command)
    environment = os.environ | variables
    begin = time.monotonic()
    # Ctrl-C reaches the program, which is in our process group; we wait for what it makes of it.
    with handled([signal.SIGINT, signal.SIGQUIT], signal.SIG_IGN):
        # A child that ignored Ctrl-C would be another program than the user's.
        heeding = {"restore_signals": True, "preexec_fn": _heed}
        status = subprocess.run([words[0], *words[1:]], executable=program, env=environment, **heeding).returncode
    return status, time.monotonic() - begin


def _heed() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def read(path: Path) -> Counts:
    """The counts, how many threads are not among them, and how many directives of others."""
    text = path.read_bytes()
    rows, taken, full = struct.unpack_from("<III", text, 8)
    names = [n.decode() for n in text[20:HEADER_BYTES].split(b"\0")]
    counts: Counter[Directive] = Counter()
    for number in range(min(rows, taken)):
        at = HEADER_BYTES + number * ROW_BYTES
        runtime = text[at + 8 : at + 8 + PATH_BYTES].partition(b"\0")[0].decode(errors="replace")
        runtime = os.path.realpath(runtime)
        for key, _, count in struct.iter_unpack("<IIQ", text[at + 8 + PATH_BYTES : at + ROW_BYTES]):
            if key and count:
                counts[Directive(names[(key >> 24) - 1], key & 0xFFFFFF, runtime)] += count
    return counts, max(0, taken - rows), full
