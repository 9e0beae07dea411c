"""A recording as a trace for the simulator (docs/simulator/traces.md)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from weir.tracing.recording import BARRIER, LAST, LOCK, UNLOCK, Recording

NAMES = {LOCK: "lock", UNLOCK: "unlock"}


def write(recording: Recording, path: Path, about: Mapping[str, Any]) -> None:
    head = {"schema": "weir-trace/1", "members": recording.members, "barriers": recording.barriers, **about}
    with path.open("w", encoding="utf-8") as file:
        for row in (head, *_events(recording)):
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def _events(recording: Recording) -> Iterator[Mapping[str, Any]]:
    """Between two barriers, each member's in turn; where all have nothing but computing, one line for all."""
    after = [np.flatnonzero(its == BARRIER) + 1 for its in recording.ends]
    begins = [0] * recording.members
    for number in range(recording.barriers):
        ends = [int(its[number]) for its in after]
        if all(end - begin == 1 for begin, end in zip(begins, ends, strict=True)):
            yield {"do": "barrier", "after_ns": [int(ns[at]) for ns, at in zip(recording.ns, begins, strict=True)]}
        else:
            for member in range(recording.members):
                yield from _of_member(recording, member, begins[member], ends[member])
        begins = ends
    for member in range(recording.members):
        yield from _of_member(recording, member, begins[member], len(recording.ends[member]))


def _of_member(recording: Recording, member: int, begin: int, end: int) -> Iterator[Mapping[str, Any]]:
    for at in range(begin, end):
        what, lock, ns = (int(of[member][at]) for of in (recording.ends, recording.locks, recording.ns))
        if ns:
            yield {"member": member, "do": "compute", "ns": ns}
        if what == BARRIER:
            yield {"member": member, "do": "barrier"}
        elif what != LAST:
            yield {"member": member, "do": NAMES[what], "lock": lock}
