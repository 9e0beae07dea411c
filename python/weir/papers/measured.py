"""Judges of what the tables in docs/measurements show: papers 003 and 004, of which no scenario speaks."""

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import median

from weir.base.screen import nanoseconds, two_digits
from weir.base.statistics import STRAIGHT, along_a_line
from weir.papers.judgements import Judged

CHUNKS = (1, 4, 16, 64, 256, 1024)
ALIKE = 1.5  # times as long at most: "similar", "the same"


@dataclass(frozen=True)
class Table:
    """`file`: in docs/measurements. `command`: what makes such a table."""

    file: str
    command: str
    judge: Callable[[str, Path], Iterator[Judged]]


def judged(name: str, folder: Path) -> list[Judged]:
    return list(TABLES[name].judge(name, folder / TABLES[name].file))


@dataclass(frozen=True)
class Bound:
    """A ratio that shall lie between two."""

    least: float
    most: float
    words: str

    def holds(self, ratio: float) -> bool:
        return self.least <= ratio <= self.most


SAME = Bound(1 / ALIKE, ALIKE, f"within a factor of {ALIKE}")
TWICE = Bound(1.5, 2.5, "between 1.5 and 2.5 times")
MORE = Bound(1.2, float("inf"), "at least a fifth more")
LESS = Bound(0, 1, "the order alone")
CHEAPER = Bound(0, 0.8, "at least a fifth less")
MAGNITUDE = Bound(10, float("inf"), "at least ten times")
FIVE = Bound(2.5, 10, "within a factor of 2")
RAPIDLY = Bound(2, float("inf"), "at least twice")
SLOWLY = Bound(0, 2, "at most twice")

Costs = dict[str, float]  # of constructs, in nanoseconds


def _over_chunks(costs: Costs, schedule: str) -> list[float]:
    return [costs[f"schedule-{schedule}-n:{n}"] for n in CHUNKS]


def _dynamic(costs: Costs) -> float:
    pairs = zip(_over_chunks(costs, "dynamic"), _over_chunks(costs, "static"), strict=True)
    return median(dynamic / static for dynamic, static in pairs)


def _apart(costs: Costs, *names: str) -> float:
    taken = [costs[name] for name in names]
    return max(taken) / min(taken)


UNKNOWN = "The reason is not known."
OTHER_SESSION = "Another session of the day has 389 and 161 ns for libomp, 2.4 times. The reason is not known."
LITTLE = "With 2 threads an atomic update, of 20 ns, is little beside a region."
SAME_BARRIER = "On Weir SINGLE ends in the same barrier, and the two differ by 1 %."
HIDDEN = "The paper supposes of the Sun, where it is so, too, that the arrival is hidden behind the construct's code."
THREE_TIMES = "There CRITICAL and locks take three times as long as an atomic update of 20 ns."
NO_MORE = "There a lock takes 14 to 24 ns, and an atomic update 19."
FAULT = "It was a fault of one implementation, as the paper says."
UPDATES = "A small chunk is an atomic update of a shared word, some 30 ns, and a static one is computed."
SEVERAL = "GUIDED takes several chunks where DYNAMIC takes one of 1,024 for each thread."
SMALL = "With a small chunk GUIDED ends in many small ones."
START, EXCLUSION, LOOPS = "section IV.A, figure 1", "section IV.B, figure", "section IV.C, figure 7"

BULL: tuple[tuple[str, str, Callable[[Costs], float], Bound, str], ...] = (
    (START, "BARRIER and DO have similar performance", lambda c: c["for"] / c["barrier"], SAME, UNKNOWN),
    (START, "PARALLEL takes about twice as long as BARRIER", lambda c: c["parallel"] / c["barrier"], TWICE,
     OTHER_SESSION),
    (START, "PARALLEL DO takes about twice as long as BARRIER", lambda c: c["parallel-for"] / c["barrier"], TWICE,
     UNKNOWN),
    (START, "A REDUCTION clause significantly increases the cost of PARALLEL", lambda c: c["reduction"] / c["parallel"],
     MORE, LITTLE),
    (START, "SINGLE costs less than BARRIER", lambda c: c["single"] / c["barrier"], LESS, SAME_BARRIER),
    ("section IV.A, figure 3", "SINGLE performs like BARRIER and DO", lambda c: c["single"] / c["barrier"], SAME,
     HIDDEN),
    (f"{EXCLUSION} 4", "CRITICAL, locks and ATOMIC have similar performance",
     lambda c: _apart(c, "critical", "lock", "atomic"), SAME, THREE_TIMES),
    (f"{EXCLUSION} 5", "ATOMIC is noticeably cheaper than CRITICAL and locks",
     lambda c: c["atomic"] / min(c["critical"], c["lock"]), CHEAPER, NO_MORE),
    (f"{EXCLUSION} 6", "CRITICAL costs an order of magnitude more than ATOMIC", lambda c: c["critical"] / c["atomic"],
     MAGNITUDE, FAULT),
    (LOOPS, "STATIC,n costs the same as STATIC with large chunks",
     lambda c: c["schedule-static-n:1024"] / c["schedule-static"], SAME, UNKNOWN),
    (LOOPS, "STATIC,n increases rapidly as the chunk decreases",
     lambda c: c["schedule-static-n:1"] / c["schedule-static-n:1024"], RAPIDLY, "Just below the limit."),
    (LOOPS, "DYNAMIC is around five times as expensive as STATIC,n", _dynamic, FIVE, UPDATES),
    (LOOPS, "GUIDED costs as much as DYNAMIC with a large chunk",
     lambda c: median(_over_chunks(c, "guided")[:4]) / c["schedule-dynamic-n:1024"], SAME, SEVERAL),
    (LOOPS, "GUIDED increases only slowly with decreasing chunks",
     lambda c: c["schedule-guided-n:1"] / c["schedule-guided-n:1024"], SLOWLY, SMALL),
    ("section IV.C", "Schedules with small chunks incur substantial overheads",
     lambda c: c["schedule-dynamic-n:1"] / c["schedule-static"], MAGNITUDE, ""),
)  # fmt: skip


def _bull(name: str, file: Path) -> Iterator[Judged]:
    """With 2 threads, which have a processor each; of each runtime whose overheads are not in the noise."""
    by: dict[str, Costs] = defaultdict(dict)
    with file.open(newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["language"] == "C" and row["threads"] == "2" and row["in_the_noise"] == "no":
                by[row["runtime"]][row["construct"]] = float(row["overhead_ns"])
    for source, says, ratio_of, bound, why in BULL:
        for runtime in sorted(by):
            try:
                ratio = ratio_of(by[runtime])
            except KeyError:  # an overhead in the noise
                continue
            found = f"{two_digits(ratio)} times"
            holds = bound.holds(ratio)
            yield Judged(source, f"{says} ({runtime}).", found, holds, bound.words, "" if holds else why, of=name)


MPIS = {"mpich": "MPICH 4.0.2", "openmpi": "Open MPI 4.1.4"}


def _two(name: str, file: Path) -> Iterator[Judged]:
    """Two processes, or two threads, with a processor each."""
    samples: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] == "overhead" and row["where"]["members"] == 2:
            mpi, _, barrier = row["what"]["id"].removeprefix("mpi:").partition(":")
            samples[mpi, barrier] += row["samples"]["episode_ns"]
    for mpi, words in MPIS.items():
        ns = {barrier: median(samples_ns) for (one, barrier), samples_ns in samples.items() if one == mpi}
        sense, dissemination, baseline = ns["team:sense"], ns["team:dissemination"], ns["omp"]
        yield Judged(
            "figure 5",
            f"Sense reversal is slightly faster than dissemination and the baseline (session of {words}).",
            f"{nanoseconds(sense)}, {nanoseconds(dissemination)} and {nanoseconds(baseline)}",
            sense < min(dissemination, baseline), "the order alone", of=name,
        )  # fmt: skip
        messages, tree, of_mpi = ns["weir:dissemination"], ns["weir:mcs"], ns["MPI_Barrier"]
        yield Judged(
            "figure 9", f"MCS is slower than dissemination and the baseline (two processes of {words}).",
            f"{nanoseconds(tree)}, {nanoseconds(messages)} and {nanoseconds(of_mpi)}",
            tree > max(messages, of_mpi), "the order alone", of=name,
        )  # fmt: skip
        holds = SAME.holds(of_mpi / messages)
        yield Judged(
            "figure 9", f"The baseline takes as long as dissemination (two processes of {words}).",
            f"{two_digits(of_mpi / messages)} times", holds, SAME.words,
            "" if holds else UNKNOWN, of=name,
        )  # fmt: skip


def _scale(name: str, file: Path) -> Iterator[Judged]:
    """Simulated clusters of 16 to 1,024 ranks, one on a node."""
    by: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    with file.open(newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["per_node"] == "1" and row["within"] == "none" and row["radix"] in ("", "2"):
                by[row["cluster"]][row["algorithm"], int(row["ranks"])] = float(row["time_us"])
    for cluster, us in sorted(by.items()):
        sizes = sorted({ranks for _, ranks in us})
        least, most = sizes[0], sizes[-1]
        expected = log2(most) / log2(least)
        for algorithm, figure, words in (("dissemination", 6, "Dissemination"), ("mcs", 7, "MCS")):
            grown = us[algorithm, most] / us[algorithm, least]
            yield Judged(
                f"figure {figure}",
                f"{words} takes a time that grows with the logarithm of the processes ({cluster}).",
                f"{two_digits(grown)} times as long with {most:,} as with {least}; the logarithms: {expected:.1f}",
                grown < 2 * expected, "within a factor of 2", of=name,
            )  # fmt: skip
        ratios = [us["mcs", n] / us["dissemination", n] for n in sizes]
        yield Judged(
            "figure 9", f"Dissemination is much faster than MCS ({cluster}).",
            f"MCS takes {min(ratios):.2f} to {max(ratios):.2f} times as long with {least} to {most:,}",
            min(ratios) >= MORE.least, MORE.words, of=name,
        )  # fmt: skip
        others = {mpi: us[mpi, least] / us["dissemination", least] for mpi in ("mpich", "ompi")}
        yield Judged(
            "figure 9", f"The baselines take as long as dissemination ({cluster}).",
            ", ".join(f"{mpi} {ratio:.2f} times with {least}" for mpi, ratio in others.items()),
            all(map(SAME.holds, others.values())), SAME.words, of=name,
        )  # fmt: skip


BASELINES = {
    "dissemination": "dissemination",
    "mpich": "MPICH's barrier",
    "ompi": "Open MPI's",
    "mvapich2": "MVAPICH2's",
    "impi": "Intel MPI's",
}
ROUNDS = (
    "It takes as many rounds with 5 to 8 processes. Recursive doubling has the dip: 8 are a power of two, and with 6 "
    "two processes tell others first, and are told at the end. MVAPICH2 takes it always, Open MPI for powers of two."
)
STEPS = "It rises with its rounds, at powers of two."


def _small(name: str, file: Path) -> Iterator[Judged]:
    """Simulated clusters of 2 to 12 ranks, one on a node: each number of them."""
    by: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    with file.open(newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            by[row["algorithm"]][row["cluster"]][int(row["ranks"])] = float(row["time_us"])
    for algorithm, words in BASELINES.items():
        clusters = by[algorithm]
        pairs = {cluster: (us[8], us[6]) for cluster, us in clusters.items()}
        holds = all(eight < six for eight, six in pairs.values())
        yield Judged(
            "figures 6, 8 and 9", f"8 processes take less time than 6 ({words}).",
            ", ".join(f"{eight:.1f} and {six:.1f} µs on {cluster}" for cluster, (eight, six) in pairs.items()),
            holds, "the order alone, on each cluster", "" if holds else ROUNDS, of=name,
        )  # fmt: skip
    for algorithm in ("mpich", "ompi", "mvapich2", "impi"):
        straight = {cluster: along_a_line(us) for cluster, us in by[algorithm].items()}
        holds = min(straight.values()) >= STRAIGHT
        yield Judged(
            "figure 8", f"The baseline rises mostly linearly ({BASELINES[algorithm]}).",
            f"R² = {min(straight.values()):.2f} to {max(straight.values()):.2f}", holds,
            f"R² of {STRAIGHT} and more on each cluster", "" if holds else STEPS, of=name,
        )  # fmt: skip


TABLES = {
    "003-openmp": Table("2026-11-21-openmp-with-weir.csv", "weir bench openmp", _bull),
    "004-mpi": Table("2026-11-21-mpi.jsonl", "weir bench mpi", _two),
    "004-scale": Table("scale.csv", "weir scale", _scale),
    "004-small": Table(
        "scale-small.csv", "weir scale --ranks 2,3,4,5,6,7,8,9,10,11,12 --per-node 1 --table scale-small.csv", _small
    ),
}
