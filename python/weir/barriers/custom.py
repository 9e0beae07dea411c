"""`weir bench --mine`: barriers of the user's own, compiled, checked, and compared with ours."""

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from weir.barriers.comparison import Comparison, ratio
from weir.barriers.plan import Session
from weir.base import native, options
from weir.base.driver import Subject
from weir.base.screen import times

FAMILY = "mine"
PROGRAM = "weir-measure"
# By the file's suffix: the variable that names the compiler, its default, and the language.
COMPILERS = {
    ".c": ("cc", "CC", "CFLAGS", "-std=gnu11"),
    **{end: ("c++", "CXX", "CXXFLAGS", "-std=c++20") for end in (".cpp", ".cc", ".cxx", ".C")},
}
# As Weir's own barriers are built.
FLAGS = ("-O2", "-g", "-Wall", "-Wextra", "-fPIC", "-shared", "-pthread")
CHECK_S = 60.0
FUNCTIONS = "barrier_create, barrier_wait, barrier_destroy"


class Unusable(Exception):
    """The file is no barrier that can be measured. The message says why; `details` is what the compiler says."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


@dataclass(frozen=True)
class LeftOut:
    """A barrier that is not measured: of a team of so many members, why."""

    subject: Subject
    members: int
    why: str


class File(options.InputFile):
    takes = f"a C or C++ file, or a shared library (.so), with {FUNCTIONS}"
    wrong = (*options.InputFile.wrong, "/etc/hostname")

    def read(self, text: str) -> Path:
        path = super().read(text)
        if path.suffix not in (*COMPILERS, ".so"):
            raise ValueError(f"it ends in {', '.join(COMPILERS)} or .so")
        return path


@contextmanager
def prepared(files: Sequence[Path]) -> Iterator[list[Subject]]:
    """A subject for each file, as long as the libraries are there. Raises Unusable and NativeError."""
    names = [path.stem if path.suffix == ".so" else path.name for path in files]
    for name in names:
        if names.count(name) > 1:
            raise Unusable(f"two files are called {name}: they would be one in the ranking")
    with TemporaryDirectory(prefix="weir-mine-") as folder:
        yield [_subject(path, name, Path(folder)) for path, name in zip(files, names, strict=True)]


def _subject(path: Path, name: str, folder: Path) -> Subject:
    library = path.resolve() if path.suffix == ".so" else _compiled(path, folder / f"{name}.so")
    (entry,) = _asked(name, "list", "--mine", str(library))
    # Records of an older text are not of the same barrier.
    version = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    return Subject(entry["id"], FAMILY, name, entry["waiting"], version, PROGRAM, ("--mine", str(library)))


def _compiled(path: Path, to: Path) -> Path:
    usual, variable, more, language = COMPILERS[path.suffix]
    compiler = shlex.split(os.environ.get(variable, "")) or [usual]
    if shutil.which(compiler[0]) is None:
        raise Unusable(f"{path}: there is no compiler {compiler[0]}: install one (apt-get install gcc g++), say in "
                       f"{variable} which, or give a shared library")  # fmt: skip
    headers = f"-I{native.sources() / 'include'}"  # <weir/mine.h>
    words = [*compiler, language, *FLAGS, headers, *shlex.split(os.environ.get(more, "")), str(path), "-o", str(to)]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        why = f"{path} does not compile ({compiler[0]} ended with status {done.returncode}): mend what is said above"
        raise Unusable(why, f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
    return to


def checked(plan: Session, tell: Callable[[str], None] = lambda _: None) -> list[LeftOut]:
    """Takes barriers out of the plan that release a member early, hang or crash: at their first failure."""
    left_out: list[LeftOut] = []
    subjects = dict.fromkeys(s for part in plan.parts for s in part.subjects if s.family == FAMILY)
    for subject in subjects:
        for members, pinned in sorted({(n, part.pinned) for part in plan.parts for n in part.sizes}):
            tell(f"checking {subject.algorithm} with {members} threads")
            if why := broken_promise(subject, members, plan.processors, pinned):
                left_out.append(LeftOut(subject, members, why))
                break
    broken = {one.subject for one in left_out}
    plan.parts = [replace(p, subjects=tuple(s for s in p.subjects if s not in broken)) for p in plan.parts]
    return left_out


def broken_promise(subject: Subject, members: int, processors: Sequence[int], pinned: bool) -> str | None:
    """What goes wrong when a team of this size passes the barrier for a moment. None if nothing does, or if the barrier
    does not support so many members, which measuring then reports."""
    words = [*subject.options, "--members", str(members), "--processors", ",".join(map(str, processors))]
    try:
        found = _asked(subject.algorithm, "check", *words, *([] if pinned else ["--unpinned"]))
    except Unusable as error:
        return f"{error} (team of {members})"
    return f"{subject.algorithm}: {found['failed']}" if "failed" in found else None


def _asked(name: str, *words: str) -> list | dict:
    """The measuring program's answer about a library. It has a process of its own: the library may crash it."""
    try:
        done = subprocess.run(
            [native.require(PROGRAM), *words], capture_output=True, text=True, errors="replace", timeout=CHECK_S
        )
    except subprocess.TimeoutExpired:
        raise Unusable(f"{name}: it did not end within {CHECK_S:.0f} s") from None
    if done.returncode < 0:
        number = -done.returncode
        known = number in iter(signal.Signals)
        raise Unusable(f"{name}: it crashed ({signal.Signals(number).name if known else f'signal {number}'})")
    if done.returncode != 0:
        raise Unusable(f"{name}: {done.stderr.strip().removeprefix(f'{PROGRAM}: ').removeprefix('--mine: ')}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Unusable(f"{name}: it prints to stdout, where the figures go: {done.stdout[:60]!r}") from None


def against_default(c: Comparison) -> list[str]:
    """A sentence for each of the user's barriers of one place."""
    said = []
    for figure in c.custom:
        r = ratio(figure, c.default) if c.default else None
        where = f"with {c.place.members} threads on {c.place.processors} processors"
        if r is None:
            said.append(f"{figure.name} {where}: the samples do not show how it compares with Weir's default.")
        elif r.low <= 1 <= r.high:
            said.append(f"{figure.name} {where}: no clear difference to Weir's default: {times(r)} times its overhead.")
        else:
            said.append(f"{figure.name} {where} has {times(r)} times the overhead of Weir's default.")
    return said
