"""Which barrier is better for so many processes and threads, and whether Weir reaches what it set out to."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from weir.base.papers import BAUSKAR
from weir.base.places import Place
from weir.base.records import Row, by_turn, clean, machine_names, rejected
from weir.base.states import split
from weir.base.statistics import Distribution, Interval, describe, ratio_by_turn
from weir.base.targets import Target
from weir.mpi.plan import BARRIER, DEFAULT, OMP, PAIRING, PAPERS, TEAM

COMBINED = f"sense + mcs ({BAUSKAR})"
NAMES = {
    DEFAULT: "Weir's default",
    TEAM: "Weir's default",
    PAPERS: COMBINED,
    OMP: "#pragma omp barrier",
    PAIRING: "omp barrier + MPI_Barrier",
    "MPI_Ibarrier": "MPI_Ibarrier + MPI_Wait",
}

LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH"}


# What a place consists of, besides the machine and the MPI.
PLACE = (
    *(f"where.{part}" for part in ("threads", "processes", "processors", "nodes", "level")),
    "how.method",
    "where.members",
)


def is_shared(place: Place) -> bool:
    """Have processes or threads to share processors?"""
    return place.members > place.processors


def words(place: Place) -> str:
    what = f"{place.processes} processes" if place.processes > 1 else "one process"
    what += f" of {place.threads} threads" if place.threads > 1 else ""
    where = f"{place.processors} processors" + (f" of {place.nodes} nodes" if place.nodes > 1 else "")
    level = f", MPI_THREAD_{place.level.upper()}" if place.level != "funneled" else ""
    how = f"{place.method}; {place.state.words()}" if place.state.name else place.method
    return f"{place.library}: {what} on {where}{level} ({how})"


@dataclass(frozen=True)
class Barrier:
    id: str
    place: Place
    rows: list[Row]
    time: Distribution
    rejected: int

    @property
    def name(self) -> str:
        if self.id in NAMES:
            return NAMES[self.id]
        name = self.id.partition(":")[2] or self.id
        return name.replace("+", " + ").replace("/shared", ", shared memory").replace("/", ", ")

    @property
    def is_default(self) -> bool:
        return self.id in (DEFAULT, TEAM)

    @property
    def is_peer(self) -> bool:
        return self.id.partition(":")[0] not in (DEFAULT, TEAM)

    @property
    def clock_ns(self) -> float:
        """How far the processes' clocks may have been apart: half of a message's round trip."""
        return max((row["how"].get("clock_ns") or 0.0 for row in self.rows), default=0.0)

    @property
    def choice(self) -> str:
        """What the default took."""
        took = self.rows[0]["what"].get("choice")
        if not self.is_default or not took:
            return ""
        within = "" if took["within"] == "none" else f"{took['within']} within the node"
        goes_across = self.place.nodes > 1 or (self.place.processes > 1 and not within)
        across = f"{took['algorithm']} by {took['transport']}" if goes_across else ""
        return ", ".join(filter(None, [took.get("threads", ""), within, across]))

    def against(self, other: "Barrier") -> Interval | None:
        """Its time over the other's, by pairs of samples taken in one turn; None where they are too few."""
        return ratio_by_turn(by_turn(self.rows, "episode_ns"), by_turn(other.rows, "episode_ns"))


@dataclass(frozen=True)
class Comparison:
    """The barriers of one place, the fastest first."""

    place: Place
    barriers: list[Barrier]

    def find(self, *ids: str) -> Barrier | None:
        return next((b for b in self.barriers if b.id in ids), None)

    @property
    def default(self) -> Barrier | None:
        return self.find(DEFAULT, TEAM)

    @property
    def baseline(self) -> Barrier | None:
        """What a user has otherwise."""
        return self.find(BARRIER, PAIRING, OMP)


def comparisons(rows: Sequence[Row]) -> list[Comparison]:
    rows = split(rows)
    machines = machine_names(rows)
    by_place: dict[Place, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["kind"] != "overhead" or row["what"]["family"] != "mpi":
            continue
        mpi = row["what"]["mpi"]
        of = {"machine": machines.get(row.get("session"), ""), "mpi": mpi, "library": LIBRARIES.get(mpi, mpi)}
        place = Place.of_row(row, PLACE, **of)
        by_place[place][row["what"]["algorithm"]].append(row)
    made = []
    for place, by_id in sorted(by_place.items()):
        barriers = [_barrier(id, place, of_barrier) for id, of_barrier in by_id.items()]
        made.append(Comparison(place, sorted(barriers, key=lambda b: b.time.median.value)))
    return made


def _barrier(id: str, place: Place, rows: list[Row]) -> Barrier:
    """Represented by its clean runs alone, where it has any."""
    kept = clean(rows)
    return Barrier(id, place, kept, describe([row["samples"]["episode_ns"] for row in kept]), rejected(rows))


def targets(found: Sequence[Comparison]) -> list[Target]:
    made = []
    for c in found:
        p = c.place
        if p.threads > 1 and not (2 <= p.processes <= 4 and p.threads <= 4):
            continue
        baseline = c.find(BARRIER) if p.threads == 1 else c.find(PAIRING)
        if c.default is None or baseline is None:
            continue
        measured = c.default.against(baseline)
        if measured is None:
            continue
        limit = 0.7 if is_shared(p) or p.threads > 1 else 1.0
        made.append(Target(p.members, f"default / {baseline.name}", measured, limit, words(p)))
    return made
