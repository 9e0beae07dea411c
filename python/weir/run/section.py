"""What a page shows of comparisons that weir run --compare --export has written."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.base.parts import FAILED, LeftOut, Section, Subject
from weir.base.records import Row, at
from weir.run.exporting import Session
from weir.run.fields import FAMILY
from weir.run.measuring import STREAMS, WEIR, Conditions, Kept, Measured, Side, Trial
from weir.run.rows import COUNTS
from weir.run.sides import Sides


def is_of_commands(row: Row) -> bool:
    return row["kind"] in ("overhead", "failure") and row["what"]["family"] == FAMILY


def sessions(rows: Sequence[Row]) -> list[Session]:
    """As they were when they had ended, but for what the programs printed."""
    made = []
    for machine in (row for row in rows if row["kind"] == "machine"):
        own = [row for row in rows if row.get("session") == machine.get("id")]
        runs = [row for row in own if is_of_commands(row)]
        sides = at(machine, "settings.sides")
        told = [one for one in sides if isinstance(one, dict) and "name" in one] if isinstance(sides, list) else []
        if runs and any(one["name"] == WEIR for one in told) and len(told) > 1:
            made.append(_session(machine, told, runs, [row for row in own if row["kind"] == "load"]))
    return made


def _session(machine: Row, told: Sequence[Row], runs: Sequence[Row], load: Sequence[Row]) -> Session:
    settings, where = machine["settings"], runs[0]["where"]
    try:
        words = tuple(shlex.split(str(settings.get("command"))))
    except ValueError:  # not as shlex.join writes it
        words = (str(settings.get("command")),)
    sides = {
        str(one["name"]): Side(
            str(one["name"]), Path(), words, _as(dict, one.get("variables")), str(one.get("runtime"))
        )
        for one in told
    }
    others = tuple(side for name, side in sides.items() if name != WEIR)
    return Session(
        str(machine.get("id")),
        str(machine.get("time")),
        Sides(others, sides[WEIR], str(settings.get("program"))),
        Conditions(settings.get("team"), where["quota"], where["beside"], where["copies"]),
        where["members"],
        Measured(
            [_trial(row) for row in runs if row["what"].get("side") in sides],
            _as(int, settings.get("planned")),
            settings.get("interrupted") is True,
        ),
        Kept(Path()),
        load,
    )


def _as(kind: type, value: object) -> Any:
    """What is of another kind, in a record that somebody has written by hand, is as if it were not there."""
    return value if isinstance(value, kind) else kind()


def _trial(row: Row) -> Trial:
    how = row["how"]
    return Trial(
        row["what"]["side"],
        how["run"],
        how["counted"],
        how["wall_s"],
        how.get("processor_s", 0.0),
        *(how.get(name, 0) for name in COUNTS),
        how["status"],
        how.get("late") is True,
        tuple(str(at(how, f"printed.{stream}")) for stream in STREAMS),
    )


def sections(rows: Sequence[Row]) -> list[Section]:
    made = []
    for number, one in enumerate(sessions(rows)):
        picture = replace(one.picture(), name=f"runs-{number + 1}", title=one.heading())
        text = " ".join([*(found.sentence() for found in one.found), *one.notes()])
        made.append(Section(parts=[replace(picture, text=f"{text} {picture.text}")]))
        made += one.sections()
    return made


def finding(rows: Sequence[Row]) -> str:
    return " ".join(found.sentence() for one in sessions(rows) for found in one.found)


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    return [
        LeftOut(FAILED, row["what"]["id"], row["what"]["runtime"], row["how"]["run"], row["how"]["stopped"])
        for row in rows
        if is_of_commands(row) and row["kind"] == "failure"
    ]


SUBJECT = Subject(
    name="Comparisons",
    title="Comparisons",
    heading="Programs compared on several runtimes",
    about="Programs{on} on their own runtime and on Weir's, in turn: weir run --compare.",
    wants=lambda rows: bool(sessions(rows)),
    sections=sections,
    left_out=left_out,
    finding=finding,
)
