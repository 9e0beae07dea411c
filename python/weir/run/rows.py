"""Runs of a comparison as records (docs/records.md), and as lines of a CSV."""

import os
import platform
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from weir.base import native
from weir.base.records import Row
from weir.run import fields
from weir.run.fields import FAMILY
from weir.run.measuring import STREAMS, Conditions, Measured, Side, Trial, status_in_words
from weir.run.sides import Sides

RUN = "run"
LEFT_OUT = {True: "the first run warms up", False: "its round was interrupted"}  # by whether it is of the first round
COUNTS = ("voluntary", "involuntary", "minor_faults", "major_faults")
HEADS = (
    "program", "side", "runtime", "pair", "counted", "wall_s", "processor_s", *COUNTS, "status", "late",
    *(f"{stream}_sha256" for stream in STREAMS), "team", "quota", "beside", "copies", "interrupted",
)  # fmt: skip


def host() -> Row:
    """What weir-info says of this machine, or the little that is known without it."""
    try:
        return native.ask("weir-info")
    except native.NativeError:
        return {
            "cpu_model": platform.processor() or platform.machine(), "kernel": platform.release(),
            "online": os.cpu_count(), "affinity": sorted(os.sched_getaffinity(0)),
        }  # fmt: skip


def team(where: Conditions) -> int | None:
    """How many threads the program was asked to have, where that is known."""
    if where.team:
        return where.team
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    return int(asked) if asked.isdecimal() and int(asked) > 0 else None


def command(sides: Sides) -> str:
    """As the user asked for it."""
    return shlex.join(sides.others[0].words)


def load(where: Conditions) -> str:
    """As other records name them."""
    said = [f"copies:{where.copies}"] if where.copies > 1 else []
    said += [f"quota:{where.quota:g}"] if where.quota else []
    said += [f"busy:{where.beside}"] if where.beside else []
    return "+".join(said) or "none"


def machine(session: str, begun: str, sides: Sides, where: Conditions, done: Measured, row: Row) -> Row:
    settings = {
        "program": sides.program, "command": command(sides), **asdict(where),
        "planned": done.planned, "interrupted": done.interrupted,
        "sides": [{"name": one.name, "runtime": one.title, "variables": one.changed} for one in sides.all],
    }  # fmt: skip
    return {"kind": "machine", "id": session, "time": begun, "host": row, "settings": settings}


def trial(session: str, sides: Sides, side: Side, where: Conditions, threads: int | None, one: Trial) -> fields.Row:
    name, ns = Path(sides.program).name, round(1e9 * one.wall_s)
    why = None if one.counted else LEFT_OUT[one.pair == 0]
    made: fields.Row = {
        "kind": "failure" if one.failed else "overhead",
        "session": session,
        "source": "measured",
        "what": {
            "family": FAMILY, "id": f"{name}/{side.name}", "algorithm": name, "waiting": "own", "version": "",
            "runtime": side.title, "side": side.name, "command": shlex.join(side.words),
            "arguments": shlex.join(sides.others[0].words[1:]),
        },
        "where": {
            "members": threads, "processors": len(os.sched_getaffinity(0)), "pinned": False, "load": load(where),
            "delay_ns": 0.0, "quota": where.quota, "beside": where.beside, "copies": where.copies,
        },
        "how": {
            "method": RUN, "run": one.pair, "samples": 0 if one.failed else 1, "inner": 1, "rejected": why,
            "complete": not one.failed, "stopped": status_in_words(one) if one.failed else None,
            "counted": one.counted, "wall_s": one.wall_s, "processor_s": one.processor_s, "status": one.status,
            "late": one.late, **{name: getattr(one, name) for name in COUNTS},
            "printed": dict(zip(STREAMS, one.printed, strict=False)),
        },
    }  # fmt: skip
    if not one.failed:
        lists = {"episode_ns": ns, "overhead_ns": ns, "reference_ns": 0, "cpu_ns": round(1e9 * one.processor_s)}
        made["samples"] = {name: [value] for name, value in lists.items()}
    return made


def lines(sides: Sides, where: Conditions, threads: int | None, done: Measured) -> list[Sequence[Any]]:
    """One for each run, after the heads."""
    titles = {side.name: side.title for side in sides.all}
    yes = {True: "yes", False: "no"}
    conditions = (threads, where.quota, where.beside, where.copies, yes[done.interrupted])
    return [
        HEADS,
        *(
            (
                sides.program, t.side, titles[t.side], t.pair, yes[t.counted], f"{t.wall_s:.6f}",
                f"{t.processor_s:.6f}", *(getattr(t, name) for name in COUNTS), t.status, yes[t.late], *t.printed,
                *conditions,
            )
            for t in done.trials
        ),
    ]  # fmt: skip
