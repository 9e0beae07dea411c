"""`weir info`: what Weir sees of this machine, and what it would choose."""

from typing import Any

from rich.console import Console
from rich.table import Table


def _bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def _machine(info: dict[str, Any]) -> Table:
    table = Table(title="This machine", title_justify="left", show_header=False)
    quota = info["quota"]
    limit = f"{quota['processors']:g} processors, by {quota['source']}" if quota else "none"
    caches: dict[str, int] = {}
    for cache in info["caches"]:
        label = f"L{cache['level']} {cache['kind']} {_bytes(cache['bytes'])}, lines of {cache['line']} B"
        caches[label] = caches.get(label, 0) + 1
    rows = {
        "processor": info["cpu_model"],
        "kernel": info["kernel"],
        "processors online": str(info["online"]),
        "affinity mask": ", ".join(map(str, info["affinity"])),
        "CPU quota": limit,
        "usable processors": f"{info['usable']:g}",
        "caches": "\n".join(f"{count} × {label}" for label, count in caches.items()),
        "NUMA nodes": "\n".join(f"node {n['node']}: {_bytes(n['bytes'])}" for n in info["numa_nodes"]),
        "time-stamp counter": f"{info['cycles_per_ns']:.3f} GHz",
        "Weir": f"{info['version']}, built by {info['compiler']}",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _choices(info: dict[str, Any]) -> Table:
    table = Table(title="What auto takes here", title_justify="left")
    for column in ("members", "bound", "barrier", "waiting", "memory", "because"):
        table.add_column(column, justify="right" if column in ("members", "memory") else "left")
    for c in info["choices"]:
        bound = "round-robin" if c["placed"] else "not"
        table.add_row(str(c["members"]), bound, c["algorithm"], c["waiting"], _bytes(c["bytes"]), c["reason"])
    return table


def _algorithms(info: dict[str, Any]) -> Table:
    sizes = sorted(int(n) for n in info["algorithms"][0]["bytes"])
    table = Table(title="Barriers, and their memory by team size", title_justify="left")
    table.add_column("name")
    table.add_column("what it is")
    for size in sizes:
        table.add_column(str(size), justify="right")
    for a in info["algorithms"]:
        table.add_row(a["name"], a["about"], *(_bytes(a["bytes"][str(size)]) for size in sizes))
    return table


def _waitings(info: dict[str, Any]) -> Table:
    table = Table(title="Waiting policies", title_justify="left")
    table.add_column("name")
    table.add_column("what it is")
    for w in info["waitings"]:
        table.add_row(w["name"], w["about"])
    return table


def show(info: dict[str, Any], console: Console) -> None:
    for part in (_machine, _choices, _algorithms, _waitings):
        console.print(part(info))
