"""The experiments of Markatos et al. 1991: which programs, at which points."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

KINDS = ("kernel", "user")
NAMES = {"kernel": "kernel threads", "user": "user-level threads"}


@dataclass(frozen=True)
class Costs:
    """What threads of each kind cost here, in nanoseconds."""

    switch_ns: dict[str, float]
    quantum_ns: dict[str, float]
    transfer_ns: float

    @property
    def slot_us(self) -> float:
        """Of coscheduling, on either kind: the kernel's quantum."""
        return round(self.quantum_ns["kernel"] / 1e3)


@dataclass(frozen=True)
class Program:
    """Members that compute and meet at a barrier, again and again: one application, or several."""

    experiment: str
    threads: str  # one of KINDS
    barrier: str
    waiting: str
    members: int  # of each application
    processors: int  # of all
    compute_ns: float
    applications: int = 1
    policy: str = "shared"
    distribution: str = "constant"
    slot_us: float = 0

    @property
    def id(self) -> str:
        """As weir-measure-threads takes it."""
        text = f"{self.threads}:{self.barrier}/{self.waiting}:members={self.members}:processors={self.processors}"
        text += f":compute_ns={self.compute_ns:g}"
        if self.applications > 1:
            text += f":applications={self.applications}:policy={self.policy}:distribution={self.distribution}"
            text += f":slot_us={self.slot_us:g}"
        return text

    @property
    def all_members(self) -> int:
        return self.members * self.applications


# Computing between two barriers, in quanta: both sides of a half, of one and of two, where the formula has its steps.
QUANTA = {
    "kernel": (0.02, 0.25, 0.45, 0.6, 0.75, 0.9, 1.1, 1.5, 1.9, 2.2),
    "user": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 1.3),
}
FEW_QUANTA = {"kernel": (0.02, 0.6, 1.1), "user": (0.001, 0.01, 0.3)}
SWITCHES = (0.25, 0.5, 1, 2, 4, 10, 20, 40)
FEW_SWITCHES = (0.5, 4, 20)
SIZES = tuple(range(2, 17))
FEW_SIZES = (2, 3, 4, 8, 16)
STAIRCASE_NS = 100e3  # about eighty of the kernel's switches, as in the scenario 000-processors
COMPUTE_NS = (2e3, 10e3, 50e3, 200e3, 1e6)
FEW_COMPUTE_NS = (10e3, 200e3)
POLICIES = ("partition", "coscheduling", "shared")
DISTRIBUTIONS = ("constant", "exponential")

SPINNING = ("counter", "mcs", "dissemination")
CENTRAL_AND_TREES = ("counter", "mcs", "combination")


def _rounded(ns: float) -> float:
    return float(f"{ns:.3g}")


def _spinning(costs: Costs, processors: int, quick: bool) -> Iterator[Program]:
    """One processor fewer than members, as 16 threads on 15."""
    for kind, barrier in product(KINDS, SPINNING):
        for quanta in (FEW_QUANTA if quick else QUANTA)[kind]:
            compute = _rounded(quanta * costs.quantum_ns[kind])
            yield Program("spinning", kind, barrier, "spin", processors + 1, processors, compute)


def _blocking(costs: Costs, processors: int, quick: bool) -> Iterator[Program]:
    """The same, with a tree that spins and one that yields the processor."""
    for kind, waiting in product(KINDS, ("spin", "share")):
        for quanta in (FEW_QUANTA if quick else QUANTA)[kind]:
            compute = _rounded(quanta * costs.quantum_ns[kind])
            yield Program("blocking", kind, "mcs", waiting, processors + 1, processors, compute)


def _overhead(costs: Costs, processors: int, quick: bool) -> Iterator[Program]:
    """Two members on each processor, and one for comparison: 16 threads on 8 processors and on 16."""
    for kind, barrier, each in product(KINDS, CENTRAL_AND_TREES, (2, 1)):
        for switches in FEW_SWITCHES if quick else SWITCHES:
            compute = _rounded(switches * costs.switch_ns[kind])
            yield Program("overhead", kind, barrier, "share", each * processors, processors, compute)


def _processors(_: Costs, processors: int, quick: bool) -> Iterator[Program]:
    """How many members share a processor: here members vary more than processors can."""
    sizes = FEW_SIZES if quick else SIZES
    for kind, barrier, count, members in product(KINDS, ("counter", "mcs"), (1, processors), sizes):
        yield Program("processors", kind, barrier, "share", members, count, STAIRCASE_NS)


def _policies(costs: Costs, processors: int, quick: bool) -> Iterator[Program]:
    """Two applications with a member for each processor, on all processors together."""
    even = processors - processors % 2
    times = FEW_COMPUTE_NS if quick else COMPUTE_NS
    for kind, policy, how, compute in product(KINDS, POLICIES, DISTRIBUTIONS, times):
        yield Program(
            "policies", kind, "combination", "share", even, even, compute, 2, policy, how, costs.slot_us
        )  # fmt: skip


@dataclass(frozen=True)
class Experiment:
    """`figure`: the paper's. A sample lasts `sample_ms`, unless one episode lasts longer; `samples` in a run."""

    name: str
    figure: str
    programs: Callable[[Costs, int, bool], Iterator[Program]]
    sample_ms: float
    samples: int


EXPERIMENTS = (
    Experiment("spinning", "figures 1 and 2", _spinning, 60, 3),
    Experiment("blocking", "figure 3", _blocking, 60, 3),
    Experiment("overhead", "figures 4 and 5", _overhead, 1, 10),
    Experiment("processors", "figure 6", _processors, 6, 4),
    Experiment("policies", "section 4", _policies, 40, 3),
)


def chosen(names: Sequence[str]) -> list[Experiment]:
    return [one for one in EXPERIMENTS if one.name in names]
