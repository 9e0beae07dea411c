"""The control groups of any process: its CPU quota, and how long the kernel has held it back.

The library reads the quota of the own process (src/machine/quota.cpp); this is the same walk for another's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Group:
    folder: Path
    unified: bool  # version 2


@dataclass(frozen=True)
class Quota:
    processors: float
    source: str


@dataclass(frozen=True)
class Throttled:
    """Counters of one group. `seconds`: added up over processors."""

    periods: int = 0
    held: int = 0  # periods in which it was held back
    seconds: float = 0.0

    def __sub__(self, before: "Throttled") -> "Throttled":
        return Throttled(self.periods - before.periods, self.held - before.held, self.seconds - before.seconds)


def groups(root: Path, number: int) -> list[Group]:
    """Those of a process and all above them. The kernel writes /proc/PID/cgroup for the reader's namespace: the paths
    are below the reader's mounts."""
    listed, mounts = _text(root / "proc" / str(number) / "cgroup"), _text(root / "proc/self/mountinfo")
    found: dict[Group, None] = {}
    for line in listed.splitlines():
        _, _, rest = line.partition(":")
        controllers, colon, path = rest.partition(":")
        if not colon or (controllers and "cpu" not in controllers.split(",")):
            continue
        for where, shows in _mount(mounts, unified=not controllers):
            inside = path if shows == "/" else path.removeprefix(shows)
            parts = [part for part in inside.split("/") if part]
            if ".." in parts:
                continue  # outside of what our namespace shows
            for length in range(len(parts), -1, -1):
                found[Group(root.joinpath(where.lstrip("/"), *parts[:length]), not controllers)] = None
    return list(found)


def _mount(mounts: str, unified: bool) -> Iterator[tuple[str, str]]:
    """Where the hierarchy is mounted, and the group that it shows as its root.
    mountinfo: id parent major:minor root mount-point options [tags] - type source super-options"""
    for line in mounts.splitlines():
        before, dash, after = line.partition(" - ")
        own, kind = before.split(), after.split()
        if not dash or len(own) < 5 or len(kind) < 3:
            continue
        right = kind[0] == "cgroup2" if unified else kind[0] == "cgroup" and "cpu" in kind[2].split(",")
        if right:
            yield own[4], own[3]
            return


def quota(of: Sequence[Group]) -> Quota | None:
    """The tightest."""
    found = [limit for group in of if (limit := _limit(group))]
    return min(found, key=lambda limit: limit.processors, default=None)


def _limit(group: Group) -> Quota | None:
    source = group.folder / ("cpu.max" if group.unified else "cpu.cfs_quota_us")
    text = _text(source) if group.unified else f"{_text(source)} {_text(group.folder / 'cpu.cfs_period_us')}"
    try:
        allowed, period = (int(word) for word in text.split())
    except ValueError:  # none: "max 100000", or no such file
        return None
    return Quota(allowed / period, str(source)) if allowed > 0 and period > 0 else None


def throttled(of: Sequence[Group]) -> dict[Group, Throttled]:
    found = {}
    for group in of:
        pairs = (line.split() for line in _text(group.folder / "cpu.stat").splitlines())
        said = {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}
        if "nr_periods" in said:
            seconds = said.get("throttled_usec", 0) / 1e6 if group.unified else said.get("throttled_time", 0) / 1e9
            found[group] = Throttled(said["nr_periods"], said.get("nr_throttled", 0), seconds)
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
