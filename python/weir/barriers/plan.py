"""What a bench measures: which subjects, at which team sizes, how often."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from weir.base.driver import Subject
from weir.base.names import chosen

QUICK_ALGORITHMS = ("sense", "dissemination", "mcs", "combination")
# Beside other programs: the default, one that spins, and what a user would have otherwise.
LOADED = (
    "weir:auto/auto",
    "weir:sense/spin",
    "weir:weir::barrier/auto",
    "peer:std::barrier",
    "peer:pthread_barrier_t",
    "peer:ck_barrier_centralized",
    "peer:libgomp",
    "peer:libomp",
)


@dataclass(frozen=True)
class Part:
    """One stretch of a session: these subjects, at these sizes, under this load."""

    subjects: tuple[Subject, ...]
    sizes: tuple[int, ...]
    rounds: int
    samples: int
    load: str  # none, busy
    pinned: bool
    sample_ms: float
    series_budget_s: float  # what one series may take in one run, before it stops with fewer samples
    delay_ns: float | None = None

    def delay_for(self, members: int, processors: int) -> float:
        """Of the same order as the overhead [paper 003, section II]: a line transfer or two where
        there is a processor for each member, a context switch where there is not. Beside other
        programs: a quarter of a time slice, since it is not the overhead that is looked at."""
        if self.delay_ns is not None:
            return self.delay_ns
        if self.load == "busy":
            return 1e6
        return 100.0 if members <= processors else 1000.0


@dataclass
class Session:
    processors: list[int]
    parts: list[Part] = field(default_factory=list)
    seed: int = 1

    def steps(self) -> int:
        return sum(p.rounds * len(p.sizes) * p.samples * len(p.subjects) for p in self.parts)

    def settings(self) -> dict[str, Any]:
        """What was asked for, as the records keep it."""
        names = ("rounds", "samples", "load", "pinned", "sample_ms", "series_budget_s", "delay_ns")
        parts = [{"members": p.sizes} | {name: getattr(p, name) for name in names} for p in self.parts]
        return {"processors": self.processors, "seed": self.seed, "parts": parts}


def usual_sizes(processors: int) -> tuple[int, ...]:
    """Fewer members than processors, as many, and many times more."""
    powers = [2**k for k in range(1, 11)]
    sizes = {p for p in powers if p <= 16 * processors} | {max(2, processors)}
    return tuple(sorted(sizes))


def choose(
    all_subjects: list[Subject],
    algorithms: Sequence[str] | None,
    waitings: Sequence[str] | None,
    peers: bool,
    quick: bool,
) -> tuple[Subject, ...]:
    """The subjects of the main part. The default choice and the floor are always among them."""
    weir = [s for s in all_subjects if s.family == "weir"]
    known_algorithms = list(dict.fromkeys(s.algorithm for s in weir))
    known_waitings = list(dict.fromkeys(s.waiting for s in weir))
    wanted_algorithms = chosen(algorithms, known_algorithms, "--algorithms", "barrier")
    wanted_waitings = chosen(waitings, known_waitings, "--waiting", "waiting policy")

    def wanted(s: Subject) -> bool:
        if s.family in ("floor", "mine") or s.id == "weir:auto/auto":
            return True
        if s.family == "peer":
            return peers
        if s.algorithm not in wanted_algorithms or s.waiting not in wanted_waitings:
            return False
        return not quick or s.waiting == "auto" or s.algorithm in QUICK_ALGORITHMS

    return tuple(s for s in all_subjects if wanted(s))


def loaded(all_subjects: list[Subject]) -> tuple[Subject, ...]:
    return tuple(s for s in all_subjects if s.id in LOADED or s.family == "mine")


def plan(found: list[Subject], processors: list[int], asked: dict[str, Any]) -> Session:
    """What was asked for, with what is usual for the rest. Raises Unknown."""
    subjects = choose(found, asked["algorithms"], asked["waiting"], asked["peers"], asked["quick"])
    quick, busy = asked["quick"], asked["load"] == "busy"
    sizes = asked["members"] or usual_sizes(len(processors))
    main = Part(
        subjects=subjects,
        sizes=sizes,
        rounds=asked["rounds"] or (3 if quick else 10),
        samples=asked["samples"] or (30 if quick else 50),
        load=asked["load"],
        pinned=asked["pinned"],
        sample_ms=20.0 if busy else 1.0,
        series_budget_s=2.0 if busy else 0.3 if quick else 1.0,
        delay_ns=asked["delay_ns"],
    )
    made = Session(processors, [main])
    if quick and not busy:
        # What waiting costs others: a few subjects, beside a foreign process on each processor.
        beside = tuple(n for n in sizes if n <= 2 * len(processors))[-2:] or sizes[:1]
        made.parts.append(Part(loaded(found), beside, 2, 8, "busy", asked["pinned"], 20.0, 0.8))
    return made
