"""What Weir must reach under whole programs, and whether it does."""

from collections.abc import Sequence
from dataclasses import dataclass

from weir.base.findings import sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds, times, two_digits
from weir.workloads.results import Cell, Ratio, Results, geometric_mean
from weir.workloads.rows import AUTO, OWN, is_weirs
from weir.workloads.situations import BY_NAME, CROWDED, SLOWER, TITLES

# The geometric mean over the programs of how many times as fast they are: at least.
FASTER = {"crowded": 1.3, "copies-2": 1.2, "quota": 1.2, "callers": 1.5}
REACHED, MISSED, NOISE, FEW = "reached", "missed", "within the noise", "too few rounds"
FAILS = "fails"
NONE_SLOWER, NOT_MEASURED = "no program slower", "not measured"
GAIN = "geometric mean of the gain"
# What one program, or several, are said to be, the word that decides first.
KINDS = {
    FAILS: ("fails", "fail"),
    MISSED: ("is slower", "are slower"),
    FEW: ("has too few rounds", "have too few rounds"),
    NOISE: ("is undecided", "are undecided"),
    REACHED: ("is not slower", "are not slower"),
}


@dataclass(frozen=True)
class Target:
    """`verdict`: one of the four words above. Reached or missed: the whole 95 % interval is on that side."""

    situation: str
    runtime: str
    what: str
    limit: float
    measured: str
    verdict: str
    detail: str = ""


def verdict(ratio: Ratio, at_least: float | None = None, at_most: float | None = None) -> str:
    if (interval := ratio.interval) is None:
        return FEW
    if at_least is not None:
        return REACHED if interval.low >= at_least else MISSED if interval.high < at_least else NOISE
    return REACHED if interval.high <= at_most else MISSED if interval.low > at_most else NOISE


def in_words(ratio: Ratio) -> str:
    return times(ratio.interval) if ratio.interval else f"{two_digits(ratio.value)} ({ratio.rounds} rounds)"


def cells_of(results: Results, situation: str) -> list[Cell]:
    """Those that count: with more threads than processors, teams that are CROWDED times as large, if there are any."""
    compared = results.of(situation)
    if situation != "crowded":
        return compared
    return [c for c in compared if c.place.members == CROWDED * c.place.processors] or compared


def targets(rows: Sequence[Row]) -> list[Target]:
    """For each kind of Weir's threads that was compared with the programs' own runtimes; and what was not measured."""
    results = Results(rows)
    found = []
    for runtime in filter(is_weirs, results.runtimes):
        for situation in results.situations:
            if (one := _none_slower(results, situation, runtime)) is not None:
                found.append(one)
        for situation, limit in FASTER.items():
            if (one := _faster(results, situation, runtime, limit)) is not None:
                found.append(one)
    by = {(t.situation, t.what) for t in found}
    missing = [(name, NONE_SLOWER, target.slower) for name, target in BY_NAME.items()]
    missing += [(name, GAIN, limit) for name, limit in FASTER.items()]
    found += [Target(where, AUTO, what, at, "", NOT_MEASURED) for where, what, at in missing if (where, what) not in by]
    return found


def _none_slower(results: Results, situation: str, runtime: str) -> Target | None:
    limit, peers = limits(situation)
    by: dict[str, list[tuple[float, str]]] = {}
    for c in results.of(situation):
        name = f"{c.program} ({c.place.members})"
        if _fails_here_alone(c, runtime):
            by.setdefault(FAILS, []).append((0, name))
        elif (ratio := c.ratio(runtime, c.fastest((OWN, *peers)) or OWN)) is not None:
            by.setdefault(verdict(ratio, at_most=limit), []).append((ratio.value, f"{name} {in_words(ratio)}"))
    if not by:
        return None
    kind = next(word for word in KINDS if word in by)
    said = [f"{len(by[word])} {words[len(by[word]) > 1]}" for word, words in KINDS.items() if word in by]
    worst = [words for word in KINDS if word != REACHED for _, words in sorted(by.get(word, ()), reverse=True)]
    measured = f"of {sum(map(len, by.values()))}: {', '.join(said)}"
    met = MISSED if kind == FAILS else kind
    return Target(situation, runtime, NONE_SLOWER, limit, measured, met, ", ".join(worst))


def limits(situation: str) -> tuple[float, tuple[str, ...]]:
    """How much slower no program may be there, and than on which runtimes beside its own, the fastest of them."""
    target = BY_NAME.get(situation)
    return (target.slower, target.peers) if target else (SLOWER, ())


def _fails_here_alone(c: Cell, runtime: str) -> bool:
    """Only Weir's runs fail."""
    return c.fails(runtime) and bool(c.times(OWN))


def _faster(results: Results, situation: str, runtime: str, limit: float) -> Target | None:
    compared = [c for c in cells_of(results, situation) if c.ratio(OWN, runtime)]
    known = [c for c in compared if c.ratio(OWN, runtime).interval] or compared
    mean = geometric_mean(c.ratios(OWN, runtime) for c in known)
    if mean is None:
        return None
    detail = f"{len(known)} of {len(compared)} programs: {', '.join(c.program for c in known)}"
    met = verdict(mean, at_least=limit)
    return Target(situation, runtime, GAIN, limit, in_words(mean), met, detail)


def named(results: Results, runtime: str) -> str:
    """As a user knows it."""
    return "weir" if runtime == AUTO else results.version(runtime) or runtime


def finding(rows: list[Row]) -> str:
    """One sentence for the user of this machine."""
    results = Results(rows)
    by_default = next(filter(is_weirs, results.runtimes), AUTO)
    if len({c.program for c in results.cells}) == 1:
        return sentence(_of_one_program(results, by_default), "this program")
    gains = [t for t in targets(rows) if t.runtime == by_default and t.what == GAIN]
    measured = [t for t in gains if t.verdict != NOT_MEASURED]
    titles = {t: TITLES[t.situation] for t in measured}
    said = [f"{t.measured} times as fast {'' if w.startswith('called') else 'with '}{w}" for t, w in titles.items()]
    return sentence(f"on Weir's runtime these programs are {', '.join(said)}" if said else "", "whole programs")


def called(c: Cell) -> str:
    """With its arguments: the work is less where threads are more than processors, or there is a quota."""
    return f"{c.program} {c.command}".rstrip()


def _of_one_program(results: Results, runtime: str) -> str:
    """Where most threads share the processors, and as many threads as processors have them for themselves."""
    cells = [c for c in results.cells if c.times(runtime) and c.times(OWN)]
    if not cells:
        return ""

    def said(c: Cell) -> str:
        peers = [OWN, *(name for name in results.runtimes if not is_weirs(name))]
        times = [f"{nanoseconds(c.time(name).value)} on {named(results, name)}" for name in peers if c.times(name)]
        never = [f"does not end on {named(results, name)}" for name in peers if c.fails(name)]
        place = f"with {c.place.members} threads on {c.place.processors} processors {called(c)} takes"
        return f"{place} {nanoseconds(c.time(runtime).value)} under weir run, {', '.join([*times, *never])}"

    most = max(cells, key=lambda c: c.place.members)
    least = min(cells, key=lambda c: c.place.members)
    both = [said(most)] + ([said(least)] if least is not most else [])
    return "; ".join(both)
