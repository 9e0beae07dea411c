"""The profile as text (docs/tune.md): a section for each machine, by its signature."""

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from weir.base.names import BY_LEVELS
from weir.base.outputs import writing
from weir.tuning.judging import Finding

# The second version may name plans by levels, which an older Weir does not have: it says which version it reads.
FIRST, WITH_PLANS = "weir profile 1", "weir profile 2"
SECTION, END = "machine ", "end"
PATIENCE_S = 10.0  # a turn takes milliseconds: whoever holds it longer is stopped


class NoProfile(Exception):
    """The file holds something else, which is not to be lost. The message says which."""


@dataclass(frozen=True)
class Section:
    """What was found on one machine. `about`: for readers, such as its processors' name."""

    signature: str
    processors: int
    date: str
    simulated: bool
    about: str
    findings: Sequence[Finding]

    def lines(self) -> list[str]:
        decided = [f for f in self.findings if f.decided]
        made = [f"{SECTION}{self.signature}", f"# {self.about}", f"processors {self.processors}"]
        made.append(f"{'simulated' if self.simulated else 'measured'} {self.date}")
        for bound in (False, True):
            sizes = sorted(f.team.members for f in decided if f.team.bound == bound)
            made.append(" ".join(["sizes", _bound(bound), *map(str, sizes)]))
        for f in decided:
            if f.barrier is not None:
                team = f"{_bound(f.team.bound)} {f.team.members}"
                made.append(f"barrier {team} {f.barrier} {f.ns:.1f} {f.usual} {f.usual_ns:.1f}")
        return made


def _bound(bound: bool) -> str:
    return "bound" if bound else "unbound"


def usual_place() -> Path:
    """Where Weir looks first. A relative name is none, as for the library."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(config) if config.startswith("/") else Path.home() / ".config") / "weir" / "profile"


def require_profile(path: Path) -> None:
    """Raises NoProfile, and OSError."""
    if path.exists() and not path.is_file():
        raise NoProfile(f"{path} is no regular file, and a profile would take its place: name another file by --output")
    held = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    if held.strip() and not held.startswith("weir profile "):
        raise NoProfile(f"{path} is no profile, and would be lost: name another file by --output, or remove it")


def merged(old: str, new: Section) -> str:
    """What a profile held of other machines stays. One of another version, or that is cut off, gives way."""
    kept: list[list[str]] = []
    lines = old.splitlines()
    if lines and lines[0] in (FIRST, WITH_PLANS) and END in lines:
        for line in lines[1 : lines.index(END)]:
            if line.startswith(SECTION):
                kept.append([])
            if kept:
                kept[-1].append(line)
    sections = [s for s in kept if s[0] != f"{SECTION}{new.signature}"] + [new.lines()]
    whole = [line for section in sections for line in section]
    plans = any(line.startswith("barrier ") and f" {BY_LEVELS}" in line for line in whole)
    return "\n".join([WITH_PLANS if plans else FIRST, *whole, END]) + "\n"


@contextmanager
def _turn(target: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Of those who write this profile at once: the second would lose what the first adds. The lock is on a file of its
    own, since another file takes the profile's place, and NFS locks no folders. Where there are no locks, there are no
    turns."""
    file = target.with_name(f".{target.name}.lock")
    end = time.monotonic() + PATIENCE_S
    lock = None
    with suppress(OSError):
        while (lock := _locked(file)) is None and time.monotonic() < end:
            time.sleep(0.02)
        if lock is None:
            tell(f"{file} has been locked for {PATIENCE_S:g} s, and who locked it may be stopped: it is ignored")
    try:
        yield
    finally:
        if lock is not None:
            with suppress(OSError):
                file.unlink()  # only while it is locked
            os.close(lock)


def _locked(file: Path) -> int | None:
    """The descriptor of the file that has this name. None: another process has it. Raises OSError."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), file.stat()):
            return handle
    except (BlockingIOError, FileNotFoundError):  # the one before has just removed it
        pass
    except OSError:
        os.close(handle)
        raise
    os.close(handle)
    return None


def write(path: Path, section: Section, tell: Callable[[str], None] = lambda _: None) -> None:
    """Whole or not at all: programs may read it meanwhile. Raises Unwritable, NoProfile and OSError."""
    require_profile(path)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()
    with _turn(target, tell):
        _write(path, target, section)


def _write(path: Path, target: Path, section: Section) -> None:
    require_profile(path)
    old = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    with writing(path):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".profile-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(merged(old, section))
                os.fchmod(file.fileno(), 0o644)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
