"""A plan made for a machine: the search is the simulator's, the table ours."""

import os
import tomllib
from pathlib import Path

from weir.base import native
from weir.base.options import shortened
from weir.base.records import Row
from weir.base.screen import Table, nanoseconds
from weir.simulation.scenario import BadScenario, machines_folder

MOST_SECONDS = 600  # for 1,024 processors it takes one to two minutes


def machine_file(text: str) -> Path:
    """A machine's file, or one of Weir's own by its name."""
    for path in (Path(text), machines_folder() / f"{text}.toml"):
        if os.path.isfile(path):  # also of a name that is too long for one
            return path
    known = ", ".join(sorted(p.stem for p in machines_folder().glob("*.toml")))
    raise BadScenario(f"no machine {shortened(text)}: a file, or one of {known}")


def found(machine: str, members: int | None, waiting: str = "spin") -> Row:
    path = machine_file(machine)
    if members is None:
        try:
            members = int(tomllib.loads(path.read_text(encoding="utf-8"))["processors"])
        except (tomllib.TOMLDecodeError, KeyError, ValueError, TypeError) as error:
            raise BadScenario(f"{path} is no machine's file: {error}") from None
    return native.ask("weir-simulate", "plan", str(path), str(members), waiting, seconds=MOST_SECONDS)


def table(row: Row) -> Table:
    shown = Table(title=f"{row['machine']}, {row['members']} threads", title_justify="left")
    for column in ("plan", "a barrier takes", "of the fastest named"):
        shown.add_column(column)
    ratio = row["barrier_ns"] / row["named_ns"] if row["named_ns"] > 0 else 1.0
    shown.add_row(row["plan"], nanoseconds(row["barrier_ns"]), f"{ratio:.2f}")
    shown.add_row(row["named"], nanoseconds(row["named_ns"]), "1")
    return shown
