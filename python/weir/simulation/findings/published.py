"""The figures that the papers print in their text and tables, to be drawn beside the simulated ones."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from weir.base.papers import BAUSKAR, GAO, MARKATOS, NANJEGOWDA, ZHANG
from weir.simulation.results import Results

Chart = dict[str, Any]
TABLE_1 = {n: "dissemination" if n < 16 else "tournament" for n in (2, 4, 8, 16, 32, 64, 128, 256, 512)}
TABLE_2 = dict.fromkeys((2, 4, 8, 16), "dissemination")
PARALLEL_1 = {n: "dissemination" if n == 4 else "tournament" for n in TABLE_1}
REDUCTION_1 = dict.fromkeys(TABLE_1, "tournament") | {2: "mcs", 4: "sense", 16: "dissemination", 128: "mcs"}
CONSTRUCTS_2 = dict.fromkeys(TABLE_2, "tournament")  # reductions and regions
# Of each program and team size, those that the paper found best. Its tree is mcs, its blocking barrier condvar.
TABLE_3 = {
    "ASPCG": {
        2: ["tournament"], 4: ["dissemination"], 16: ["tournament", "mcs"], 32: ["tournament"], 64: ["tournament"],
        128: ["dissemination"],
    },
    "GenIDLEST": {2: ["condvar"], 4: ["condvar"], 16: ["dissemination"], 32: ["tournament"]},
}  # fmt: skip
RECORDED = {"ASPCG": "aspcg", "GenIDLEST": "flow"}
GAINS = {"GCC": 12.6, "LLVM": 4.7, "known": 1.6}  # how many times as fast the new barrier is
OURS_OF_GAO = "tournament-nodes"
POWER4, PADDED, POWER3 = 0.79, 0.33, 0.87  # how much less the new barrier takes


@dataclass(frozen=True)
class Point:
    """Of a chart: x and the colour as the sweep has them; y in the chart's measure, or None: on the simulated point.
    `column`: of which panel, or of all."""

    x: Any
    color: str
    y: float | None = None
    column: Any = None


@dataclass(frozen=True)
class Published:
    """`called`: what the paper calls Weir's barriers. `legend`: what its points are; empty, where it prints none.
    `scale`: on which scale they are drawn, if not on the chart's own."""

    paper: str
    called: Mapping[str, str]
    legend: str = ""
    scale: str = ""
    points: Callable[[Results, Chart], Iterable[Point]] = lambda *_: ()


def _spinning(r: Results, chart: Chart) -> Iterable[Point]:
    """Section 4.1, figure 1."""
    below = [us for us in r.swept("compute_us") if us < 10_000]
    return [Point(us, "counter", 20e6) for us in (below[0], below[-1])] + [Point(below[0], "mcs", 40e6)]


def _overhead(r: Results, chart: Chart) -> Iterable[Point]:
    """Section 4.1, figures 4 and 5; a context switch takes 100 µs."""
    return [Point(2000, "mcs", 0.10), Point(400, "mcs", 0.39), Point(2000, "combination", 0.0)]


def _best(table: Mapping[int, str]) -> Callable[[Results, Chart], Iterable[Point]]:
    def points(r: Results, chart: Chart) -> Iterable[Point]:
        return [Point(n, table[n], None) for n in r.swept("members") if n in table]

    return points


def _best_constructs(r: Results, chart: Chart) -> Iterable[Point]:
    tables = {"region": PARALLEL_1, "reduction": REDUCTION_1}
    return [Point(n, table[n], None, construct) for construct, table in tables.items() for n in r.swept("members")]


def _best_of_programs(r: Results, chart: Chart) -> Iterable[Point]:
    drawn = chart["only"]["application.trace"][0]
    program = next(name for name, recorded in RECORDED.items() if recorded in drawn)
    return [
        Point(n, best, None, "block" if best == "condvar" else "spin")
        for n, bests in TABLE_3[program].items()
        for best in bests
    ]


def _less(than_counter: float, than_padded: float | None) -> Callable[[Results, Chart], Iterable[Point]]:
    """Ratios of overheads with the largest team; the simulated counter's is their scale."""

    def points(r: Results, chart: Chart) -> Iterable[Point]:
        if chart.get("y") != "overhead":
            return
        most = r.swept("members")[-1]
        for column in r.swept("clean_copy") if "column" in chart else (None,):
            chosen = {} if column is None else {"clean_copy": column}
            new = (1 - than_counter) * r.value("overhead", barrier="counter", members=most, **chosen)
            yield Point(most, "distributed-sensor", new, column)
            if than_padded is not None:
                yield Point(most, "distributed-padded", new / (1 - than_padded), column)

    return points


OF_MARKATOS = {"counter": "the central barrier", "mcs": "the tree barrier", "combination": "the combination barrier"}
OF_NANJEGOWDA = {
    "condvar": "centralized blocking", "condvar-pairs": "blocking in pairs", "sense": "centralized", "mcs": "tree",
    "dissemination": "dissemination", "tournament": "tournament",
}  # fmt: skip
OF_ZHANG = {
    "counter": "FetchAndAdd", "distributed": "DistCounter", "distributed-padded": "DistCounterPad",
    "sensor": "LocalSensor", "distributed-sensor": "Combined",
}  # fmt: skip
OF_GAO = {
    "sense": "GCC's barrier", "tree": "LLVM's hyper barrier",
    "tournament-nodes": "the optimized static f-way tournament",
}  # fmt: skip
BEST = "best in {}"
SCALED = "as multiples of the simulated counter"

OF: dict[str, Published] = {
    "000-spinning": Published(MARKATOS, OF_MARKATOS, MARKATOS, points=_spinning),
    "000-blocking": Published(MARKATOS, OF_MARKATOS),
    "000-overhead": Published(MARKATOS, OF_MARKATOS, MARKATOS, points=_overhead),
    "000-spinning-butterfly": Published(MARKATOS, OF_MARKATOS),
    "000-switches": Published(MARKATOS, OF_MARKATOS),
    "000-placement": Published(MARKATOS, OF_MARKATOS),
    "000-queues": Published(MARKATOS, OF_MARKATOS),
    "000-processors": Published(MARKATOS, OF_MARKATOS),
    "000-policies": Published(MARKATOS, OF_MARKATOS),
    "001-altix-3700": Published(NANJEGOWDA, OF_NANJEGOWDA, BEST.format(NANJEGOWDA), points=_best(TABLE_1)),
    "001-altix-4700": Published(NANJEGOWDA, OF_NANJEGOWDA, BEST.format(NANJEGOWDA), points=_best(TABLE_1)),
    "001-constructs-3700": Published(NANJEGOWDA, OF_NANJEGOWDA, BEST.format(NANJEGOWDA), points=_best_constructs),
    "001-constructs-4700": Published(NANJEGOWDA, OF_NANJEGOWDA),
    "001-constructs-sunfire": Published(
        NANJEGOWDA, OF_NANJEGOWDA, BEST.format(NANJEGOWDA), points=_best(CONSTRUCTS_2)
    ),
    "001-constructs-xeon": Published(NANJEGOWDA, OF_NANJEGOWDA),
    "001-xeon": Published(NANJEGOWDA, OF_NANJEGOWDA, BEST.format(NANJEGOWDA), points=_best(TABLE_2)),
    "001-sunfire": Published(NANJEGOWDA, OF_NANJEGOWDA, BEST.format(NANJEGOWDA), points=_best(TABLE_2)),
    "001-table-3": Published(NANJEGOWDA, OF_NANJEGOWDA, BEST.format(NANJEGOWDA), points=_best_of_programs),
    "002-power4": Published(ZHANG, OF_ZHANG, ZHANG, SCALED, _less(POWER4, PADDED)),
    "002-regions": Published(ZHANG, OF_ZHANG),
    "002-network": Published(ZHANG, OF_ZHANG),
    "002-power3": Published(ZHANG, OF_ZHANG, ZHANG, SCALED, _less(POWER3, None)),
    "004-openmp": Published(BAUSKAR, {"sense": "sense reversal"}),
    "005-arm": Published(GAO, OF_GAO),
}


def called(results: Results) -> str:
    """What the paper calls the barriers of the scenario, where it has other names: a sentence."""
    if (paper := OF.get(results.name)) is None:
        return ""
    there = {a["barrier"] for row in results.runs for a in row["applications"]}
    said = [f"{ours} is {theirs}" for ours, theirs in paper.called.items() if ours in there and ours != theirs]
    return f"In {paper.paper} {', '.join(said)}." if said else ""
