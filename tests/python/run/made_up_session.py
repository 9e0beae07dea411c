"""A comparison of two runtimes whose runs are made up: nothing is started."""

from collections.abc import Sequence
from pathlib import Path

from weir.run.exporting import Session
from weir.run.measuring import OWN, WEIR, Conditions, Kept, Measured, Side, Trial
from weir.run.sides import Sides

FIGURES = {"voluntary": 1, "involuntary": 0, "minor_faults": 9, "major_faults": 0, "status": 0, "late": False}
HOST = {"cpu_model": "A <made-up> processor", "online": 2, "affinity": [0, 1], "cycles_per_ns": 2.5, "kernel": "Linux"}
OWN_S = (1.00, 1.04, 0.97, 1.02, 0.99, 1.01, 1.03, 0.98)


def trial(side: str, pair: int, wall_s: float, counted: bool = True, **more: object) -> Trial:
    figures = {"processor_s": wall_s, "printed": ("a", "b")} | FIGURES | more
    return Trial(side, pair, counted, wall_s, **figures)


def trials(own: Sequence[float] = OWN_S, weir: Sequence[float] | None = None, first_s: float = 1.1) -> list[Trial]:
    """After a round that warms up."""
    made = [trial(side, 0, first_s, counted=False) for side in (OWN, WEIR)]
    for side, values in ((OWN, own), (WEIR, weir if weir is not None else [s / 2 for s in own])):
        made += [trial(side, i + 1, s) for i, s in enumerate(values)]
    return made


def sides(names: Sequence[str] = ("libgomp",)) -> Sides:
    words, program = ("./it", "--size", "3"), Path("/there/it")
    others = tuple(Side(OWN if not i else name, program, words, {}, name) for i, name in enumerate(names))
    return Sides(others, Side(WEIR, program, words, {"LD_PRELOAD": "x"}, "Weir's runtime"), "./it")


def session(made: Sequence[Trial], others_s: float = 0.1, interrupted: bool = False) -> Session:
    where = Conditions(team=8, quota=2.0, copies=2)
    done = Measured(made, 8, interrupted)
    load = {"kind": "load", "session": "s", "processors": 2, "seconds": 10.0, "others_s": others_s, "stolen_s": 0.0}
    return Session("s", "2026-11-24T12:00:00+00:00", sides(), where, 8, done, Kept(Path("/no/such")), [load])
