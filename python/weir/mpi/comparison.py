"""Which barrier is better for so many processes and threads, and whether Weir reaches what it set out to."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from weir.base.records import Row, by_turn, machine_names
from weir.base.states import ANY, State, split
from weir.base.statistics import FEWEST_PAIRS, Distribution, Interval, describe, ratio_by_turn
from weir.base.targets import Target
from weir.mpi.plan import BARRIER, DEFAULT, OMP, PAIRING, PAPERS, TEAM

NAMES = {
    DEFAULT: "Weir's default",
    TEAM: "Weir's default",
    PAPERS: "sense + mcs (paper 004)",
    OMP: "#pragma omp barrier",
    PAIRING: "omp barrier + MPI_Barrier",
    "MPI_Ibarrier": "MPI_Ibarrier + MPI_Wait",
}

LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH"}


@dataclass(frozen=True, order=True)
class Place:
    """Where figures can be compared."""

    machine: str
    mpi: str
    threads: int
    processes: int
    processors: int
    nodes: int
    level: str
    method: str
    state: State = ANY

    @property
    def members(self) -> int:
        return self.processes * self.threads

    @property
    def library(self) -> str:
        return LIBRARIES.get(self.mpi, self.mpi)

    @property
    def shared(self) -> bool:
        return self.members > self.processors

    def words(self) -> str:
        what = f"{self.processes} processes" if self.processes > 1 else "one process"
        what += f" of {self.threads} threads" if self.threads > 1 else ""
        where = f"{self.processors} processors" + (f" of {self.nodes} nodes" if self.nodes > 1 else "")
        level = f", MPI_THREAD_{self.level.upper()}" if self.level != "funneled" else ""
        how = f"{self.method}; {self.state.words()}" if self.state.name else self.method
        return f"{self.library}: {what} on {where}{level} ({how})"


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
        return ratio_by_turn(by_turn(self.rows, "episode_ns"), by_turn(other.rows, "episode_ns"), FEWEST_PAIRS)


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
        where = row["where"]
        names = ("threads", "processes", "processors", "nodes", "level")
        place = Place(
            machine=machines.get(row.get("sitting"), ""),
            mpi=row["what"]["mpi"],
            method=row["how"]["method"],
            state=where.get("state", ANY),
            **{n: where[n] for n in names},
        )
        by_place[place][row["what"]["algorithm"]].append(row)
    made = []
    for place, by_id in sorted(by_place.items()):
        barriers = [_barrier(id, place, its) for id, its in by_id.items()]
        made.append(Comparison(place, sorted(barriers, key=lambda b: b.time.median.value)))
    return made


def _barrier(id: str, place: Place, rows: list[Row]) -> Barrier:
    """Represented by its clean runs alone, where it has any."""
    clean = [row for row in rows if row["how"].get("rejected") is None] or rows
    time = describe([row["samples"]["episode_ns"] for row in clean])
    return Barrier(id, place, clean, time, sum(row["how"].get("rejected") is not None for row in rows))


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
        limit = 0.7 if p.shared or p.threads > 1 else 1.0
        made.append(Target(p.members, f"default / {baseline.name}", measured, limit, p.words()))
    return made
