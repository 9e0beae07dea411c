"""A recording as a trace for the simulator (docs/simulator/traces.md)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from weir.base.records import TRACE
from weir.tracing.recording import BARRIER, LAST, LOCK, UNLOCK, Recording

NAMES = {LOCK: "lock", UNLOCK: "unlock"}


def write(recording: Recording, path: Path, about: Mapping[str, Any]) -> None:
    head = {"schema": TRACE, "members": recording.members, "barriers": recording.barriers, **about}
    with path.open("w", encoding="utf-8") as file:
        for row in (head, *_events(recording)):
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def _events(recording: Recording) -> Iterator[Mapping[str, Any]]:
    """Between two barriers, each member's in turn; where all do the same, one line for all."""
    after = [np.flatnonzero(of_member == BARRIER) + 1 for of_member in recording.ends]
    begins = [0] * recording.members
    for number in range(recording.barriers):
        ends = [int(of_member[number]) for of_member in after]
        pieces = list(map(slice, begins, ends))
        if _alike(recording.ends, pieces) and _alike(recording.locks, pieces):
            for at in range(ends[0] - begins[0]):
                ns = [int(of_member[begin + at]) for of_member, begin in zip(recording.ns, begins, strict=True)]
                yield {**_what(recording, 0, begins[0] + at), "after_ns": ns}
        else:
            for member, piece in enumerate(pieces):
                yield from _of_member(recording, member, piece)
        begins = ends
    for member, begin in enumerate(begins):
        yield from _of_member(recording, member, slice(begin, len(recording.ends[member])))


def _alike(of_members: list[np.ndarray], pieces: list[slice]) -> bool:
    first = of_members[0][pieces[0]]
    return all(np.array_equal(first, of_member[piece]) for of_member, piece in zip(of_members, pieces, strict=True))


def _of_member(recording: Recording, member: int, piece: slice) -> Iterator[Mapping[str, Any]]:
    for at in range(piece.start, piece.stop):
        if ns := int(recording.ns[member][at]):
            yield {"member": member, "do": "compute", "ns": ns}
        if recording.ends[member][at] != LAST:
            yield {"member": member, **_what(recording, member, at)}


def _what(recording: Recording, member: int, at: int) -> Mapping[str, Any]:
    what = int(recording.ends[member][at])
    return {"do": "barrier"} if what == BARRIER else {"do": NAMES[what], "lock": int(recording.locks[member][at])}
