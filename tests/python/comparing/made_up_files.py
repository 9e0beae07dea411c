"""Two files of records, whose series are made up."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weir.base import records

HOST = {"cpu_model": "A <made-up> processor", "online": 2, "affinity": [0, 1], "kernel": "Linux 6", "version": "0.1.0"}
FLOOR = {"family": "floor", "id": "floor:transfer:0:1", "waiting": "none"}


def machine(session: str = "s", **host: Any) -> dict:
    return {"kind": "machine", "id": session, "time": "2026-11-24T12:00:00+00:00", "host": HOST | host}


def load(others_s: float, session: str = "s") -> dict:
    return {"kind": "load", "session": session, "processors": 2, "seconds": 10.0, "others_s": others_s, "stolen_s": 0.0}


def row(
    algorithm: str, values: Sequence[float], members: int = 2, run: int = 0, what: dict | None = None,
    samples: dict | None = None, **more: Any,
) -> dict:  # fmt: skip
    named = {"family": "weir", "id": f"weir:{algorithm}/spin", "algorithm": algorithm, "waiting": "spin"}
    values = list(values)
    lists = {"overhead_ns": values, "episode_ns": [v + 100.0 for v in values]}
    lists |= {"reference_ns": [100.0] * len(values), "cpu_ns": [0.0] * len(values)}
    where = {"members": members, "processors": 2, "pinned": True, "load": "none", "delay_ns": 100.0}
    how = {"run": run, "method": "overhead", "rejected": None, "stopped": None}
    made = {"kind": "overhead", "session": "s", "source": "measured", "what": named | {"version": "1"} | (what or {})}
    return made | {"where": where, "how": how, "samples": lists | (samples or {})} | more


def runs(algorithm: str, ns: float, spread: float = 0.05, count: int = 3, **more: Any) -> list[dict]:
    dice = random.Random(f"{algorithm} {ns}")
    return [row(algorithm, [ns * (1 + spread * dice.uniform(-1, 1)) for _ in range(15)], run=r, **more)
            for r in range(count)]  # fmt: skip


def write(path: Path, rows: Sequence[dict]) -> Path:
    with records.Writer(path) as writer:
        for one in rows:
            writer.write(one)
    return path
