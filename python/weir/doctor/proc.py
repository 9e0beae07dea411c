"""What /proc says of processes, their threads and the processors, at one moment."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weir.base.others import TICKS, Busy, busy


class Gone(Exception):
    """There is no such process, or none any more."""


class Denied(Exception):
    """We may not read of the process."""

    def __init__(self, user: int) -> None:
        other = user != os.geteuid()
        super().__init__(
            f"it belongs to another user ({user}); run weir doctor as that user or as root"
            if other
            else "it has rights that weir doctor has not, or it guards itself"
        )


@dataclass(frozen=True)
class Thread:
    """Counters since it began. `ready_s`: how long it could run and had no processor; None without a count."""

    name: str
    begun: int  # a number is used again, a number and a time are not
    cpu_s: float
    ready_s: float | None
    voluntary: int
    involuntary: int
    processors: frozenset[int]  # by its affinity mask


@dataclass(frozen=True)
class Process:
    number: int
    begun: int
    exe: str  # "" if the kernel does not say
    words: tuple[str, ...]
    threads: dict[int, Thread]
    files: tuple[str, ...]  # mapped, each once
    environment: dict[str, str] | None  # None if it may not be read

    @property
    def name(self) -> str:
        own = self.threads.get(self.number)
        return own.name if own else os.path.basename(self.exe)


@dataclass(frozen=True)
class Proc:
    """`root`: what /proc and /sys are below."""

    root: Path = field(default=Path("/"))

    @property
    def folder(self) -> Path:
        return self.root / "proc"

    def there(self) -> bool:
        return (self.folder / "stat").exists()

    def leader(self, number: int) -> int:
        """The process that has this number, or a thread of this number. Raises Gone."""
        try:
            return int(_field(_text(self.folder / str(number) / "status"), "Tgid") or number)
        except OSError:
            raise Gone from None

    def process(self, number: int) -> Process:
        """Raises Gone, also of one that has ended and is not yet waited for, and Denied."""
        folder = self.folder / str(number)
        try:
            state, begun = _state(_text(folder / "stat"))
            if state in "ZX":
                raise Gone
            words = tuple(w for w in _text(folder / "cmdline").split("\0")[:-1])
            files = tuple(mapped(_text(folder / "maps")))
            threads = dict(self._threads(folder))
        except PermissionError:
            raise Denied(_user(folder)) from None
        except (OSError, ValueError):
            raise Gone from None
        if not threads:
            raise Gone
        return Process(number, begun, _link(folder / "exe"), words, threads, files, _environment(folder))

    def _threads(self, folder: Path) -> Iterator[tuple[int, Thread]]:
        for task in sorted((folder / "task").iterdir(), key=lambda path: int(path.name)):
            try:
                yield int(task.name), _thread(task)
            except PermissionError:
                raise
            except (OSError, ValueError):
                continue  # it has ended since the folder was read

    def below(self, number: int, except_for: int | None = None) -> list[int]:
        """The descendants of a process, less one and its own."""
        children: dict[int, list[int]] = {}
        for folder in self.folder.iterdir():
            if folder.name.isdigit():
                try:
                    parent = int(_after_name(_text(folder / "stat"))[1])
                except (OSError, ValueError, IndexError):
                    continue
                children.setdefault(parent, []).append(int(folder.name))
        found, ahead = [], [number]
        while ahead:
            below = [child for child in children.get(ahead.pop(), []) if child != except_for]
            found += below
            ahead += below
        return sorted(found)

    def busy(self) -> dict[int, Busy]:
        """By processor."""
        return busy(self.folder)

    def seen_by(self, number: int, file: str) -> Path:
        """A file under the name that a process has it by, which may be in a container."""
        own = self.folder / str(number) / "root" / file.lstrip("/")
        return own if own.exists() else self.root / file.lstrip("/")


def mapped(maps: str) -> Iterator[str]:
    """address permissions offset device inode path"""
    met = set()
    for line in maps.splitlines():
        words = line.split(maxsplit=5)
        if len(words) == 6 and words[5].startswith("/"):
            path = words[5].removesuffix(" (deleted)")
            if path not in met:
                met.add(path)
                yield path


def numbers(listed: str) -> frozenset[int]:
    """0-2,8 as 0, 1, 2, 8."""
    found: set[int] = set()
    for part in filter(None, listed.strip().split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return frozenset(found)


def _thread(folder: Path) -> Thread:
    stat, status = _text(folder / "stat"), _text(folder / "status")
    fields = _after_name(stat)
    cpu_s = (int(fields[11]) + int(fields[12])) / TICKS
    ready_s = None
    try:
        ran, ready, slices = (int(word) for word in _text(folder / "schedstat").split())
        if slices:  # a kernel that does not count has zeros
            cpu_s, ready_s = ran / 1e9, ready / 1e9
    except (OSError, ValueError):
        pass
    return Thread(
        stat[stat.index("(") + 1 : stat.rindex(")")],
        int(fields[19]),
        cpu_s,
        ready_s,
        int(_field(status, "voluntary_ctxt_switches") or 0),
        int(_field(status, "nonvoluntary_ctxt_switches") or 0),
        numbers(_field(status, "Cpus_allowed_list")),
    )


def _after_name(stat: str) -> list[str]:
    """The fields from the state on. A name may hold blanks and parentheses."""
    return stat[stat.rindex(")") + 1 :].split()


def _state(stat: str) -> tuple[str, int]:
    fields = _after_name(stat)
    return fields[0], int(fields[19])


def _field(status: str, name: str) -> str:
    found = re.search(rf"^{name}:\s*(.*)$", status, re.MULTILINE)
    return found[1] if found else ""


def _environment(folder: Path) -> dict[str, str] | None:
    try:
        pairs = (entry.partition("=") for entry in _text(folder / "environ").split("\0"))
    except OSError:
        return None
    return {name: value for name, equals, value in pairs if equals}


def _link(path: Path) -> str:
    try:
        return os.readlink(path).removesuffix(" (deleted)")
    except OSError:
        return ""


def _user(folder: Path) -> int:
    try:
        return folder.stat().st_uid
    except OSError:
        raise Gone from None


def _text(path: Path) -> str:
    return path.read_text(errors="replace")
