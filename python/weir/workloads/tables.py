"""Tables of whole programs: for the page, the terminal and as CSV."""

import csv
import io
from collections.abc import Sequence
from math import isfinite

from rich import table as rich

from weir.base.others import disturbed
from weir.base.parts import Cell as Shown
from weir.base.parts import Table
from weir.base.records import Row
from weir.base.screen import nanoseconds, shown, with_interval
from weir.workloads.conclusions import AGREES, DIFFERS, Conclusion, conclusions
from weir.workloads.findings import MISSED, REACHED, Target, in_words, limits, targets, verdict
from weir.workloads.results import Cell, Ratio, Results, geometric_mean
from weir.workloads.rows import (
    AUTO,
    AUTO_FIXED,
    DEFAULT,
    HAND,
    KERNEL,
    ONE_FIXED,
    OWN,
    USER_FIXED,
    is_by_hand,
    is_weirs,
)
from weir.workloads.situations import BY_NAME, TITLES

RUNTIMES = {OWN: "its own", "kernel": "kernel threads", "user": "user-level", "auto": "auto"}
BY_HAND = "best by hand"
FIXED_IN_WORDS = {
    KERNEL: "kernel threads",
    USER_FIXED: "user-level",
    AUTO_FIXED: "auto, no trials",
    ONE_FIXED: "auto, one processor",
}
NEAR_BEST = 1.03  # of the time by the best fixed choice


def title(runtime: str) -> str:
    return RUNTIMES.get(runtime, runtime)


def of_targets(found: Sequence[Target]) -> Table:
    heads = ["target", "verdict", "Weir's threads", "limit", "measured"]
    rows = [
        [f"{TITLES.get(t.situation, t.situation)}: {t.what}", Shown(t.verdict, verdict=t.verdict), title(t.runtime),
         f"{t.limit:.2f}", Shown(t.measured, t.detail, below=True)]
        for t in found
    ]  # fmt: skip
    return Table("", heads, rows, words=(0, 1, 2, 4))


def of_conclusions(found: Sequence[Conclusion]) -> Table:
    heads = ["paper", "what it concluded", "verdict", "here"]
    marks = {AGREES: REACHED, DIFFERS: MISSED}
    rows = [
        [c.paper, c.says, Shown(c.verdict, c.test, below=True, verdict=marks.get(c.verdict, "")),
         Shown(c.here, c.why, below=True)]
        for c in found
    ]  # fmt: skip
    return Table("", heads, rows, words=(0, 1, 2, 3))


def of_barriers(results: Results) -> Table:
    """As Table 3 of Nanjegowda et al. 2009."""
    rows = []
    for c in results.cells:
        if (best := c.best) is None:
            continue
        to_default = c.ratio(KERNEL, KERNEL, best, DEFAULT)
        alike = [name for name in c.barriers if name not in (best, DEFAULT) and _alike(c, name, best)]
        default = c.time(KERNEL)
        rows.append(
            [c.program, str(c.place.members), best, _time(c, best), _time(c, DEFAULT) if default else "–",
             in_words(to_default) if to_default else "–", ", ".join(alike) or "none"]
        )  # fmt: skip
    heads = ["program", "threads", "best barrier", "time", "by the default", "best / default", "not told from the best"]
    return Table("", heads, sorted(rows, key=lambda row: (row[0], int(row[1]))), words=(0, 2, 6))


def _alike(c: Cell, barrier: str, best: str) -> bool:
    ratio = c.ratio(KERNEL, KERNEL, barrier, best)
    return ratio is not None and (ratio.interval is None or ratio.interval.low <= 1)


def _time(c: Cell, barrier: str) -> str:
    return with_interval(c.time(KERNEL, barrier))


def of_situation(results: Results, situation: str) -> Table:
    """Own time in Weir's: above 1 the program is faster on Weir's runtime. The best by hand: see Cell.by_hand."""
    limit, peers = limits(situation)
    compared = [name for name in results.runtimes if any(c.ratio(OWN, name) for c in results.of(situation))]
    kinds = [name for name in compared if not is_by_hand(name)]
    hands = [name for name in kinds if is_weirs(name)] if any(c.by_hand for c in results.of(situation)) else []
    rows, marks = [], []
    for c in results.of(situation):
        own = c.time(OWN)
        if own is None:
            continue
        cells = []
        for name in kinds:
            there, ratio = c.ratio(name, c.fastest((OWN, *peers)) or OWN), c.ratio(OWN, name)
            if ratio is None or there is None:
                cells.append("–")
                continue
            slower = verdict(there, at_most=limit)
            gains = ratio.interval is not None and ratio.interval.low > 1
            cells.append(Shown(in_words(ratio), verdict=MISSED if slower == MISSED else REACHED if gains else ""))
        cells += [_by_hand(c, name, situation) for name in hands]
        rows.append([c.program, str(c.place.members), nanoseconds(own.value), *cells])
        marks.append("")
    for members in sorted({c.place.members for c in results.of(situation)}):
        means = [
            geometric_mean(c.ratios(OWN, name) for c in results.of(situation) if c.place.members == members)
            for name in kinds
        ]
        if any(means):
            rows.append(["geometric mean", str(members), "", *map(_in_words, means), *[""] * len(hands)])
            marks.append("default")
    heads = ["program", "threads", "own runtime", *(f"own / {title(name)}" for name in kinds)]
    heads += [f"{BY_HAND} / {title(name)}" for name in hands]
    name = TITLES.get(situation, situation)
    return Table(f"{name[:1].upper()}{name[1:]}", heads, rows, tuple(marks), is_open=True)


def of_best(results: Results) -> Table:
    """The default against the best of what could be fixed beforehand, which is chosen after measuring."""
    rows, marks = [], []
    by: dict[str, list[list[float]]] = {}
    for c in results.cells:
        if (best := c.best_fixed) is None or (ratio := c.ratio(AUTO, best[0], of_barrier=best[1])) is None:
            continue
        where = c.place.situation
        by.setdefault(where, []).append(c.ratios(AUTO, best[0], of_barrier=best[1]))
        name = FIXED_IN_WORDS[best[0]] + (f", {best[1]}" if best[1] not in ("", DEFAULT) else "")
        rows.append(
            [c.program, str(c.place.members), where, nanoseconds(c.time(AUTO).value), name,
             nanoseconds(c.time(*best).value), Shown(in_words(ratio), verdict=verdict(ratio, at_most=NEAR_BEST))]
        )  # fmt: skip
        marks.append("")
    for where, ratios in by.items():
        rows.append(["geometric mean", "", where, "", "", "", _in_words(geometric_mean(ratios))])
        marks.append("default")
    heads = ["program", "threads", "situation", "auto", "best fixed choice", "its time", "auto / best"]
    return Table("Against the best fixed choice", heads, rows, tuple(marks), words=(0, 2, 4), is_open=True)


def _in_words(ratio: Ratio | None) -> str:
    return in_words(ratio) if ratio else "–"


def _threads_of_own(c: Cell, situation: str) -> str:
    where = BY_NAME.get(situation)
    if where is not None and where.own_fits:
        return "one for each caller" if where.callers else "as many as processors"
    return str(c.place.members) if where is None or where.asks else "as it decides"


def _by_hand(c: Cell, runtime: str, situation: str) -> Shown | str:
    """The time with the best number of threads, in that on Weir's, and which number that is."""
    if c.by_hand is None:
        return "–"
    threads = _threads_of_own(c, situation) if c.by_hand == OWN else c.by_hand.removeprefix(f"{HAND}-")
    return Shown(_in_words(c.ratio(c.by_hand, runtime)), f"threads: {threads}")


def of_shares(results: Results) -> Table:
    kinds = list(dict.fromkeys(s.runtime for s in results.shares))
    by = {(s.program, s.members, s.runtime): s for s in results.shares}
    rows = []
    for program, members in dict.fromkeys((s.program, s.members) for s in results.shares):
        shares = [by.get((program, members, kind)) for kind in kinds]
        cells = [Shown(f"{s.of_time:.1%}", f"of {nanoseconds(s.time_ns)}") if s else "–" for s in shares]
        rows.append([program, str(members), *cells])
    return Table("", ["program", "threads", *(f"on {title(kind)}" for kind in kinds)], rows)


def for_terminal(rows: Sequence[Row]) -> list[rich.Table]:
    results = Results(rows)
    fixed = of_best(results)
    best, shares, met = of_barriers(results), of_shares(results), of_targets(targets(rows))
    held = of_conclusions(conclusions(rows))
    judged = [
        (Table("Conclusions of the papers", held.heads, held.rows, words=held.words), range(len(held.heads))),
        (Table("Targets", met.heads, met.rows, words=met.words), range(len(met.heads))),
    ]
    made = [
        (Table("Best barrier for each program and team", best.heads, best.rows, words=best.words), (0, 1, 2, 5)),
        *((one, range(len(one.heads))) for one in (of_situation(results, name) for name in results.situations)),
        (fixed, (0, 1, 2, 4, 6)),  # the times are on the page
        (Table("Share of time spent synchronising", shares.heads, shares.rows), range(len(shares.heads))),
        *(judged if disturbed(rows) is None else ()),
    ]
    return [shown(one, columns) for one, columns in made if one.rows]


def as_csv(rows: Sequence[Row]) -> str:
    """A line for each program, team, situation, runtime and barrier. Times in nanoseconds."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            "program",
            "group",
            "situation",
            "threads",
            "processors",
            "runtime",
            "barrier",
            "rounds",
            "median_ns",
            "low_ns",
            "high_ns",
        ]
    )
    results = Results(rows)
    for c in results.cells:
        for runtime, barrier in c.rows:
            if time := c.time(runtime, barrier):
                ends = [f"{n:.6g}" if isfinite(n) else "" for n in (time.value, time.low, time.high)]
                place = c.place
                writer.writerow([c.program, c.group, place.situation, place.members, place.processors, runtime, barrier,
                                 len(c.times(runtime, barrier)), *ends])  # fmt: skip
    return text.getvalue() if results.cells else ""
