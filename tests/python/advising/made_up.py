"""Sessions of `weir advise` whose runs are made up: nothing is started."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from weir.advising import plan, rows
from weir.advising.measuring import Counted, Done
from weir.advising.plan import Try
from weir.advising.results import Session, sessions
from weir.advising.sizes import Size
from weir.advising.staircase import Staircase
from weir.profile.counting import Counter, Directive
from weir.run.measuring import OWN, WEIR, Side
from weir.run.sides import Sides

from ..run.made_up_session import HOST

WORDS = ("./it", "--size", "3")
PROGRAM = Path("/there/it")
ON_OWN = Side(OWN, PROGRAM, WORDS, {}, "libgomp")
ON_WEIR = Side(WEIR, PROGRAM, WORDS, {"LD_PRELOAD": "x"}, "Weir's runtime")
BOTH = Sides((ON_OWN,), ON_WEIR, "./it")
# What a round has beside what the size takes: the least of them is 1.
ROUNDS = (1.03, 1.0, 1.2, 1.01, 1.05, 1.02, 1.04)
Truth = Callable[[int, int], float]


def divided(m: int, p: int) -> float:
    """Equal pieces: ceil(M/P) rounds of them."""
    return 0.02 + 0.4 * -(-m // p) / m


def planned(most: int) -> list[Try]:
    return plan.plan(BOTH, most, quota=True)


def done(one: Try, number: int, wall_s: float, **more: object) -> Done:
    how = {"processor_s": wall_s, "others_s": 0.0, "status": 0, "late": False} | more
    return Done(one, number, wall_s, **how)


def counted(asked: int = 3, team: int | None = None) -> Counted:
    """Of a program that obeys, where no other team is said; 0: without OpenMP."""
    team = asked if team is None else team
    return Counted(Counter({Directive("parallel", team, "/usr/lib/libgomp.so.1"): 40} if team else {}), asked, 0.5)


def machine(counts: Counted, processors: int = 2, trace: Staircase | None = None, notes: Iterable[str] = ()) -> dict:
    return rows.machine("s", "2026-11-25T12:00:00+00:00", WORDS, counts, trace, list(notes), processors, HOST)


def of(
    truth: Truth,
    processors: int = 2,
    factors: Mapping[str, float] | None = None,
    tries: Iterable[Try] | None = None,
    counts: Counted | None = None,
    trace: Staircase | None = None,
    rounds: int = len(ROUNDS),
) -> list[dict]:
    """The records of runs that take what the truth says of members and processors; `factors`: of a side by its name."""
    head = machine(counts or counted(processors + 1), processors, trace)
    made = [head]
    for number in range(rounds):
        for one in planned(processors) if tries is None else tries:
            slower = (factors or {}).get(one.side.name, 1.0) * (1.5 if one.size.quota else 1.0)
            seconds = truth(one.size.members, one.size.processors) * slower * ROUNDS[number]
            made.append(rows.run("s", done(one, number, seconds)))
    load = {"kind": "load", "session": "s", "processors": processors, "seconds": 10.0, "others_s": 0.1, "stolen_s": 0.0}
    return [*made, load]


def session(made: list[dict]) -> Session:
    (one,) = sessions(made)
    return one


def trace(threads: int = 16) -> Staircase:
    return Staircase(threads, 100, 1.0, {p: -(-threads // p) / threads for p in range(1, threads + 1)})


def size(threads: int | None, processors: int, quota: float | None = None) -> Size:
    return Size(processors, threads, quota)
