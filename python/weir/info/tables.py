"""`weir info` in words: one screen, all of it, or the answer for one team size."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from weir.base.screen import Table

Info = dict[str, Any]


def _bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def ranges(numbers: Sequence[int]) -> str:
    """0, 1, 2, 3, 8 as 0-3, 8."""
    runs = [[n for _, n in run] for _, run in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0])]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _counted(kinds: Iterator[str]) -> list[str]:
    return [f"{count} × {kind}" for kind, count in Counter(kinds).items()]


def _machine(info: Info) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    quota, usable = info["quota"], f"{info['usable']:g}"
    limit = f"CPU quota of {quota['processors']:g}, by {quota['source']}" if quota else "no CPU quota"
    caches = _counted(f"L{c['level']} {c['kind']} {_bytes(c['bytes'])}" for c in info["caches"])
    lines = sorted({cache["line"] for cache in info["caches"]})
    if lines:
        caches.append(f"lines of {', '.join(map(str, lines))} B")
    nodes = _counted(_bytes(node["bytes"]) for node in info["numa_nodes"])
    rows = {
        "processor": f"{info['cpu_model']}, {info['online']} online, counter at {info['cycles_per_ns']:.3f} GHz",
        "may run on": f"processors {ranges(info['affinity'])}; {limit}: {usable} usable",
        "weir run": f"a program that asks for the number of processors hears of {info['heard']:g}",
        "caches": "; ".join(caches),
        "NUMA nodes": "; ".join(nodes),
        "profile": _profile(info),
        "system": info["kernel"],
        "Weir": f"{info['version']}, built by {info['compiler']}",
    }
    for name, value in rows.items():
        table.add_row(name, Text(value))
    return table


def _profile(info: Info) -> str:
    """The one in use, or why there is none."""
    said = info.get("profile", {}).get("words")
    return said or "none: weir tune measures this machine and writes one"


def _by_size(info: Info) -> dict[int, dict[bool, Info]]:
    """What auto chooses: by team size, and whether the members are bound to processors known to Weir."""
    sizes: dict[int, dict[bool, Info]] = {}
    for choice in info["choices"]:
        sizes.setdefault(choice["members"], {})[choice["placed"]] = choice
    return sizes


def _taken(choice: Info | None) -> str:
    return choice["algorithm"] if choice else ""


def _choices(info: Info) -> Table:
    table = Table(title="The barrier that auto takes here", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("threads", "not bound", "bound round-robin", "memory"):
        table.add_column(column, justify="right" if column in ("threads", "memory") else "left")
    for members, by in _by_size(info).items():
        most = max(choice["bytes"] for choice in by.values())
        table.add_row(str(members), _taken(by.get(False)), _taken(by.get(True)), _bytes(most))
    return table


def _sharing(info: Info) -> Table:
    table = Table(title="Programs that share", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("process", "program", "weight", "wants", "has"):
        table.add_column(column, justify="left" if column in ("program", "has") else "right")
    for p in info["sharing"]:
        has = ranges(p["processors"]) + ("" if p["alone"] else ", with others")
        state = has if p["processors"] else "lends them" if not p["busy"] else "is stopped, and lends them"
        table.add_row(str(p["process"]), Text(p["name"]), str(p["weight"]), str(p["wants"]), state)
    return table


def show(info: Info, console: Console) -> None:
    """One screen."""
    console.print(_machine(info))
    console.print()
    if info["sharing"]:
        console.print(_sharing(info))
    console.print(_choices(info))
    default = next((w for w in info["waitings"] if w["name"] == "auto"), None)
    if default:
        console.print(f"It waits by the policy auto: {escape(default['about'])}.", highlight=False)
    largest = max(_by_size(info), default=2)
    console.print(
        f"Why: weir info --members {largest}. All barriers and waiting policies: weir info --all. As JSON: --json.",
        highlight=False,
    )


def answer(info: Info) -> list[str]:
    """Which barrier for one team size, in a sentence, with its reason; and which for bound threads, if it differs."""
    ((members, by),) = _by_size(info).items()
    free, bound = by.get(False), by.get(True)
    choice = free or bound
    assert choice is not None
    threads = f"{members} thread{'s' if members > 1 else ''}"
    processors = len(info["affinity"])
    place = f"{processors} processor{'s' if processors > 1 else ''}"
    said = [
        f"For {threads} on the {place} of this machine: the barrier {choice['algorithm']} with the waiting policy "
        f"{choice['waiting']}, which is what weir::team_barrier takes by default.",
        f"Because: {choice['reason']}.",
    ]
    how = next((w["about"] for w in info["waitings"] if w["name"] == choice["waiting"]), None)
    if how:
        said.append(f"The policy {choice['waiting']}: {how}.")
    if bound and bound["algorithm"] != choice["algorithm"]:
        said.append(f"If they are bound to processors (.placement): {bound['algorithm']}, because {bound['reason']}.")
    return said


def _reasons(info: Info) -> Table:
    table = Table(title="What auto takes here, and why", title_justify="left")
    for column in ("threads", "bound", "barrier", "waiting", "memory", "because"):
        table.add_column(column, justify="right" if column in ("threads", "memory") else "left")
    for c in info["choices"]:
        bound = "round-robin" if c["placed"] else "not"
        table.add_row(str(c["members"]), bound, c["algorithm"], c["waiting"], _bytes(c["bytes"]), escape(c["reason"]))
    return table


def _barriers(info: Info) -> Table:
    sizes = sorted(int(n) for n in info["algorithms"][0]["bytes"])
    table = Table(title="Barriers, and their memory by team size", title_justify="left")
    for column in ("name", "what it is", "phases apart", "critical path ~ log P", "by messages"):
        table.add_column(column)
    for size in sizes:
        table.add_column(str(size), justify="right")
    for a in info["algorithms"]:
        facts = ("yes" if a[key] else "" for key in ("halves", "logarithmic", "by_messages"))
        table.add_row(a["name"], escape(a["about"]), *facts, *(_bytes(a["bytes"][str(size)]) for size in sizes))
    return table


def _policies(info: Info) -> Table:
    table = Table(title="Waiting policies", title_justify="left")
    table.add_column("name")
    table.add_column("what it is")
    for w in info["waitings"]:
        table.add_row(w["name"], escape(w["about"]))
    return table


def show_all(info: Info, console: Console) -> None:
    console.print(_machine(info))
    for part in (_reasons, _barriers, _policies):
        console.print(part(info))
