"""From rows to what is drawn and judged: barriers' times by program, measured, simulated and predicted."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from weir.base.places import on_fullest
from weir.base.records import Row, by_turn, clean
from weir.base.states import ANY, State, split
from weir.base.statistics import Interval, median_interval, ratio_by_turn
from weir.threads.experiments import EXPERIMENTS, Program
from weir.threads.rows import is_of_program, program_of

MEASURED, SIMULATED, PREDICTED = "measured", "simulated", "predicted"
SOURCES = (MEASURED, SIMULATED, PREDICTED)
# Whose time is mostly the way of cache lines: samples are compared in one state of the machine.
OF_ONE_STATE = "overhead"


@dataclass(frozen=True)
class Point:
    """One program's episodes from one source; times in nanoseconds."""

    program: Program
    source: str
    rows: tuple[Row, ...]

    @property
    def episode(self) -> Interval:
        return median_interval([row["samples"]["episode_ns"] for row in clean(list(self.rows))])

    @property
    def compute_ns(self) -> float:
        """What a member really computed between two barriers."""
        there = on_fullest(self.program.all_members, self.program.processors)
        return median(ns for row in self.rows for ns in row["samples"]["reference_ns"]) / there

    @property
    def switch_ns(self) -> float:
        return self.rows[-1]["how"]["switch_ns"]

    @property
    def quantum_ns(self) -> float:
        return self.rows[-1]["how"]["quantum_ns"]

    @property
    def efficiency(self) -> Interval:
        """The share of the processors' time that is spent computing."""
        one, episode = self.program, self.episode
        computed = one.all_members * self.compute_ns / one.processors
        if not episode.known:
            return Interval(computed / episode.value)
        return Interval(computed / episode.value, computed / episode.high, computed / episode.low)

    @property
    def had(self) -> float:
        """The share of the processors' time that the members had, computing or waiting."""
        both = ((row["samples"]["cpu_ns"], row["samples"]["episode_ns"]) for row in self.rows)
        shares = [cpu / episode for cpus, episodes in both for cpu, episode in zip(cpus, episodes, strict=True)]
        return median(shares) / self.program.processors

    def over(self, other: "Point") -> Interval:
        """By this program's episodes in the other's: over samples of one turn, where they were taken in turns."""
        if self.source == MEASURED:
            own, theirs = (by_turn(clean(list(p.rows)), "episode_ns") for p in (self, other))
            if (ratio := ratio_by_turn(own, theirs)) is not None:
                return ratio
        return Interval(self.episode.value / other.episode.value)


class Results:
    """All points of an experiment."""

    def __init__(self, experiment: str, rows: Sequence[Row]) -> None:
        self.experiment = experiment
        own = [
            r for r in rows if is_of_program(r) and r["what"]["experiment"] == experiment and r["kind"] == "overhead"
        ]
        self.state = ANY
        if experiment == OF_ONE_STATE:
            own, self.state = _of_one_state(own, rows)
        found: dict[tuple[str, Program], list[Row]] = defaultdict(list)
        for row in own:
            found[row["source"], program_of(row)].append(row)
        self.points = {key: Point(key[1], key[0], tuple(of_key)) for key, of_key in found.items()}

    def of(self, source: str = MEASURED, **like: object) -> list[Point]:
        """By computing time, then members: those whose program has these values."""
        found = [
            p
            for (origin, one), p in self.points.items()
            if origin == source and all(getattr(one, name) == value for name, value in like.items())
        ]
        return sorted(found, key=lambda p: (p.program.compute_ns, p.program.members))

    def taken(self, kind: str) -> float:
        """The share of the processors' time that other programs had. Members that wait keep theirs, except those that
        wait for the turn of their application."""
        points = [p for p in self.of(threads=kind) if p.program.policy != "coscheduling"]
        had = [p.had for p in points if p.program.all_members >= p.program.processors]
        return max(0.0, 1 - median(had)) if had else 0.0

    def beside(self, point: Point, source: str) -> Point | None:
        """The same program from another source."""
        return self.points.get((source, point.program))

    def pairs(self, source: str, **like: object) -> Iterator[tuple[Point, Point]]:
        """Measured points and those of another source."""
        for p in self.of(**like):
            if (other := self.beside(p, source)) is not None:
                yield p, other


def _of_one_state(own: list[Row], rows: Sequence[Row]) -> tuple[list[Row], State]:
    """Measured samples of the state of the machine that has most; all others as they are."""
    machines = [row for row in rows if row["kind"] == "machine"]
    parts = [row for row in split([*machines, *own]) if row["kind"] != "machine"]
    counts: Counter[State] = Counter()
    for row in parts:
        if row["source"] == MEASURED and "state" in row["where"]:
            counts[row["where"]["state"]] += len(row["samples"]["episode_ns"])
    if not counts:
        return own, ANY
    state = counts.most_common(1)[0][0]
    return [row for row in parts if row["where"].get("state", state) == state], state


def experiments(rows: Sequence[Row]) -> list[Results]:
    """Those of which something was measured, in the order of the paper's figures."""
    found = [Results(one.name, rows) for one in EXPERIMENTS]
    return [results for results in found if results.of()]
