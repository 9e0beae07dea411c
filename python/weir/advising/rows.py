"""Runs of `weir advise` as records (docs/records.md)."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from weir.advising import fields
from weir.advising.measuring import Counted, Done
from weir.advising.staircase import Staircase
from weir.base.records import Row
from weir.run.measuring import status_in_words

METHOD = "advise"


def machine(
    session: str,
    begun: str,
    words: Sequence[str],
    counted: Counted,
    trace: Staircase | None,
    notes: Sequence[str],
    processors: int,
    row: Row,
) -> Row:
    """`notes`: what could not be tried, and why; `processors`: that may be used."""
    settings: dict[str, Any] = {
        "program": Path(words[0]).name, "command": shlex.join(words), "processors": processors, "notes": list(notes),
        "asked": counted.asked, "team": counted.team, "obeys": counted.obeys, "regions": counted.regions,
        "trace": trace and asdict(trace),
    }  # fmt: skip
    return {"kind": "machine", "id": session, "time": begun, "host": row, "settings": settings}


def run(session: str, done: Done) -> fields.Row:
    side, size = done.trial.side, done.trial.size
    name = Path(side.words[0]).name
    why = f"other programs had {done.others_s:.2f} s of its processors" if done.disturbed else None
    changed = {n: v for n, v in side.changed.items() if os.environ.get(n) != v}
    made: fields.Row = {
        "kind": "failure" if done.failed else "overhead",
        "session": session,
        "source": "measured",
        "what": {
            "family": fields.FAMILY, "id": f"{name}/{side.name}", "algorithm": name, "waiting": "own", "version": "",
            "runtime": side.title, "side": side.name, "command": shlex.join(side.words), "variables": changed,
        },
        "where": {
            "members": size.threads, "processors": size.processors, "pinned": False,
            "load": f"quota:{size.quota:g}" if size.quota is not None else "none", "delay_ns": 0.0,
            "quota": size.quota,
        },
        "how": {
            "method": METHOD, "run": done.round, "samples": 0 if done.failed else 1, "inner": 1, "rejected": why,
            "complete": not done.failed, "stopped": status_in_words(done) if done.failed else None,
            "wall_s": done.wall_s, "processor_s": done.processor_s, "others_s": done.others_s,
            "status": done.status, "late": done.late, "said": list(done.said),
        },
    }  # fmt: skip
    if not done.failed:
        ns = round(1e9 * done.wall_s)
        lists = {"episode_ns": ns, "overhead_ns": ns, "reference_ns": 0, "cpu_ns": round(1e9 * done.processor_s)}
        made["samples"] = {name: [value] for name, value in lists.items()}
    return made
