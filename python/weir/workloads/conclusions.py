"""What the papers concluded about whole programs, and what becomes of it here: computed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weir.base.papers import BAUSKAR, BULL, MARKATOS, NANJEGOWDA
from weir.base.places import on_fullest
from weir.base.records import Row
from weir.base.screen import nanoseconds, two_digits
from weir.workloads.findings import cells_of
from weir.workloads.programs import PROCESSES
from weir.workloads.results import Cell, Results, Share
from weir.workloads.rows import DEFAULT, KERNEL, OWN, is_weirs
from weir.workloads.situations import TITLES

AGREES, DIFFERS, NOT_MEASURED = "agrees", "differs", "not measured"
BLOCKING, TOURNAMENT = "condvar", "tournament"
FROM_THREADS = 16  # on which the paper found the tournament best
CHOICE = 1.35  # what the choice of a barrier can change
SWITCH_NS = 1500  # a context switch of kernel threads by yielding, as measured for docs/threads-measured.md
SWITCHES, LITTLE = 4, 0.10  # barriers no more often than so many switches cost less than that
MOSTLY = 0.5  # of the programs and teams
MOST_CASES = "within the noise of the best in most cases"

YIELDING = (
    "All of Weir's barriers yield at once where threads share a processor, and sleep in the end; a condition variable "
    "pays two system calls for each thread."
)
SHARED = "More threads than processors: they wait for the kernel's scheduler, and not for cache lines."
ALIKE = "With few threads a barrier costs one or two cache lines, whichever it is."
APART = (
    "Prices are of threads that arrive together; in a program those that arrive early also wait for the last, and "
    "caches differ."
)
HELD = "With four times as many threads the work is divided more finely, and caches hold less of each part."
ONE_NODE = "In one node processes copy messages through shared memory."


@dataclass(frozen=True)
class Conclusion:
    """`test`: what must hold for it to agree. `why`: the known reasons for a difference."""

    paper: str
    says: str
    test: str
    verdict: str
    here: str
    why: str = ""


def conclusions(rows: Sequence[Row]) -> list[Conclusion]:
    r = Results(rows)
    if not r.cells:
        return []
    return [*_of_barriers(r), *_of_fewer_processors(r), _of_directives(r), _of_processes(r)]


def _judged(paper: str, says: str, test: str, here: str, holds: bool | None, why: str = "") -> Conclusion:
    """`holds`: None where nothing says."""
    verdict = NOT_MEASURED if holds is None else AGREES if holds else DIFFERS
    return Conclusion(paper, says, test, verdict, here, why if holds is False else "")


def _name(c: Cell) -> str:
    return f"{c.program} ({c.place.members})"


def _told_from_best(c: Cell, barrier: str) -> bool:
    """Slower than the best one, by the whole interval."""
    ratio = c.ratio(KERNEL, KERNEL, barrier, c.best)
    return ratio is not None and ratio.interval is not None and ratio.interval.low > 1


def _among_best(cells: Sequence[Cell], barrier: str) -> list[Cell]:
    return [c for c in cells if barrier in c.barriers and not _told_from_best(c, barrier)]


def _of_barriers(r: Results) -> Iterator[Conclusion]:
    compared = [c for c in r.cells if c.best and all(c.enough(KERNEL, name) for name in c.barriers)]
    names = list(dict.fromkeys(name for c in compared for name in c.barriers if name != DEFAULT))
    where, test = f"{NANJEGOWDA}, sections 4.1 and 5", "none is within the noise of the best everywhere"
    says = "No single barrier is best for all programs and numbers of threads."
    if not compared:
        yield _judged(where, says, test, "", None)
    else:
        everywhere = {name: len(_among_best(compared, name)) for name in names}
        most = max(everywhere, key=everywhere.get)
        here = (
            f"of {len(compared)} programs and teams, {most} is not told from the best in {everywhere[most]}, more than "
            f"any other; each of {', '.join(dict.fromkeys(c.best for c in compared))} has the least time in some"
        )
        yield _judged(where, says, test, here, everywhere[most] < len(compared), ALIKE)

    says = f"The tournament barrier is best from {FROM_THREADS} threads on."
    large = [c for c in compared if c.place.members >= FROM_THREADS and TOURNAMENT in c.barriers]
    best = _among_best(large, TOURNAMENT)
    here = f"not told from the best in {len(best)} of {len(large)} programs and teams of so many threads"
    shared = any(c.place.members > c.place.processors for c in large)
    yield _judged(
        f"{NANJEGOWDA}, section 4.1", says, MOST_CASES,
        here if large else f"no team of {FROM_THREADS} threads was measured",
        len(best) > MOSTLY * len(large) if large else None, SHARED if shared else "",
    )  # fmt: skip

    says = f"The choice of a barrier can change a program's time by {CHOICE - 1:.0%} or more."
    where, test = f"{NANJEGOWDA}, section 4.3", f"the whole interval at {CHOICE:.2f} or more"
    worst = [
        (ratio, c, name)
        for c in compared
        for name in c.barriers
        if (ratio := c.ratio(KERNEL, KERNEL, name, c.best)) is not None and ratio.interval is not None
    ]
    if worst:
        ratio, c, name = max(worst, key=lambda one: one[0].interval.low)
        here = (
            f"{_name(c)}, {TITLES[c.place.situation]}: {two_digits(ratio.value)} times as long by {name} as by {c.best}"
        )
        yield _judged(where, says, test, here, ratio.interval.low >= CHOICE, ALIKE)
    else:
        yield _judged(where, says, test, "", None)

    says = "A blocking barrier wins where processors are oversubscribed."
    crowded = [c for c in compared if c.place.situation == "crowded" and BLOCKING in c.barriers]
    best = _among_best(crowded, BLOCKING)
    here = f"{BLOCKING} is not told from the best in {len(best)} of {len(crowded)} programs and teams"
    holds = len(best) > MOSTLY * len(crowded) if crowded else None
    yield _judged(f"{NANJEGOWDA}, section 4", says, MOST_CASES, here if crowded else "", holds, YIELDING)


def _of_fewer_processors(r: Results) -> Iterator[Conclusion]:
    """The same work with as many threads as processors, and with more, or as much for each thread; by kinds of Weir's
    threads."""
    says = (
        "With a suitable barrier fewer processors than threads cost little: less than 10 % where a thread computes for "
        f"more than {SWITCHES} context switches between barriers."
    )
    alone = {(c.program, c.command): c for c in r.of("dedicated") if c.place.members == c.place.processors}
    each = {(s.program, s.members): s.time_ns / s.directives for s in r.shares if s.runtime == KERNEL and s.directives}
    for runtime in filter(is_weirs, r.runtimes):
        found = []
        for c in cells_of(r, "crowded"):
            one = alone.get((c.program, c.command))
            apart_ns = each.get((c.program, one.place.members)) if one else None
            if apart_ns is None or not (c.enough(runtime) and one.enough(runtime)):
                continue
            on_each = on_fullest(c.place.members, c.place.processors)
            computes_ns = apart_ns / (1 if c.per_member else on_each)
            cost = c.time(runtime).value / one.time(runtime).value / (on_each if c.per_member else 1) - 1
            if computes_ns >= SWITCHES * SWITCH_NS:
                found.append((cost, f"{_name(c)} {cost:+.0%} at {nanoseconds(computes_ns)}"))
        here = f"{runtime}: {', '.join(words for _, words in sorted(found))}" if found else runtime
        yield _judged(
            f"{MARKATOS}, section 4.1",
            says,
            f"each below {LITTLE:.0%}",
            here,
            all(cost < LITTLE for cost, _ in found) if found else None,
            HELD,
        )


def _of_directives(r: Results) -> Conclusion:
    """What a program loses on its own runtime against Weir's, measured, and by its directives and their prices."""
    says = "The overheads of its directives add up to what a program loses."
    by: dict[tuple, dict[str, Share]] = {}
    for s in r.shares:
        by.setdefault((s.program, s.situation, s.members), {})[s.runtime] = s
    near, found = 0, []
    for (program, situation, members), by_runtime in by.items():
        cell = next((c for c in r.of(situation) if (c.program, c.place.members) == (program, members)), None)
        if cell is None or not {OWN, KERNEL} <= by_runtime.keys() or not (cell.enough(OWN) and cell.enough(KERNEL)):
            continue
        priced = by_runtime[OWN].priced_ns - by_runtime[KERNEL].priced_ns
        measured = cell.time(OWN).value - cell.time(KERNEL).value
        if abs(priced) < 0.05 * cell.time(OWN).value:
            continue
        good = 0.5 <= measured / priced <= 2
        near += good
        found.append(f"{program} ({members}) {nanoseconds(measured)} of {nanoseconds(priced)}")
    words = f"{near} of {len(found)} within a factor of 2; own runtime against Weir's, measured of priced"
    here = f"{words}: {', '.join(found)}"
    return _judged(
        f"{BULL}, section I",
        says,
        "within a factor of 2 in most cases",
        here if found else "",
        near > MOSTLY * len(found) if found else None,
        APART,
    )


def _of_processes(r: Results) -> Conclusion:
    says = "Threads within processes beat processes alone."
    found, better = [], 0
    for c in r.cells:
        if not c.program.endswith(PROCESSES):
            continue
        same = c.program.removesuffix(PROCESSES)
        threads = next((o for o in r.of(c.place.situation) if (o.program, o.place) == (same, c.place)), None)
        if threads is None or not (c.enough(OWN) and threads.enough(KERNEL)):
            continue
        ratio = c.time(OWN).value / threads.time(KERNEL).value
        better += ratio > 1
        found.append(f"{_name(c)}, {TITLES[c.place.situation]} {two_digits(ratio)}")
    here = f"time of processes in that of threads: {', '.join(found)}"
    return _judged(
        BAUSKAR, says, "in most cases", here if found else "", better > MOSTLY * len(found) if found else None, ONE_NODE
    )
