"""The profile as text (docs/tune.md): a section for each machine, by its signature."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base.outputs import writing
from weir.tuning.judging import Finding

FIRST = "weir profile 1"
SECTION, END = "machine ", "end"


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
    if lines and lines[0] == FIRST and END in lines:
        for line in lines[1 : lines.index(END)]:
            if line.startswith(SECTION):
                kept.append([])
            if kept:
                kept[-1].append(line)
    sections = [s for s in kept if s[0] != f"{SECTION}{new.signature}"] + [new.lines()]
    return "\n".join([FIRST, *(line for section in sections for line in section), END]) + "\n"


def write(path: Path, section: Section) -> None:
    """Whole or not at all: programs may read it meanwhile. Raises Unwritable, NoProfile and OSError."""
    require_profile(path)
    old = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".profile-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(merged(old, section))
                os.fchmod(file.fileno(), 0o644)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
