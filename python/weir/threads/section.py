"""What the page shows of the experiments of Markatos et al. 1991: a chart for each figure, and its findings."""

from collections.abc import Callable, Sequence
from itertools import takewhile

from weir.base.parts import FAILED, STOPPED, Chart, LeftOut, Section, Subject
from weir.base.places import on_fullest
from weir.base.records import Row
from weir.base.screen import nanoseconds, two_digits
from weir.threads import charts, tables
from weir.threads.experiments import NAMES, POLICIES
from weir.threads.findings import LITTLE_TAKEN, SMALL, STEP, finding, findings, overhead
from weir.threads.results import Results, experiments
from weir.threads.rows import COSTS, is_of_program, is_of_threads

LINES = (
    " Points and full lines are measured, with 95 % intervals; dashed lines are simulated, with this machine's switch, "
    "quantum and transfer; dotted ones are what the formulas predict."
)
TEXTS = {
    "spinning": "As figures 1 and 2: threads that spin, one more of them than processors. The scale is the quantum "
    "that was measured: how long a thread that computes keeps a processor that another wants.",
    "blocking": "As figure 3: the tree barrier (mcs) whose threads spin, and one whose threads yield the processor.",
    "overhead": "As figures 4 and 5: two threads on each processor, against twice the time with one on each. The scale "
    "is a context switch of each kind of threads.",
    "processors": "As figure 6, which has 16 threads on 1 to 16 processors. Here threads vary, on one processor and on "
    "all; they yield.",
    "policies": "As section 4: two applications, each with a thread for each processor. Partition: each has half of "
    "the processors. Coscheduling: all processors by turns, for a quantum of the kernel. Shared: each thread for "
    "itself. Computing is constant or exponential.",
}
COSTS_TEXT = (
    "What curves are scaled and simulated with. A quantum: how long a thread that computes keeps the processor."
)
TAKEN = " Other programs had {each} of the processors meanwhile."


def sections(rows: Sequence[Row]) -> list[Section]:
    found = experiments(rows)
    made = [section for results in found for section in _sections(results)]
    table = tables.costs(rows)
    return [*made, Section("What threads cost here", COSTS_TEXT, [table])] if table.rows else made


def wants(rows: Sequence[Row]) -> bool:
    return any(is_of_threads(row) for row in rows)


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    return [
        LeftOut(FAILED if row["kind"] == "failure" else STOPPED, row["what"]["id"], row["what"]["experiment"],
                row["how"]["run"] + 1, row["how"]["stopped"])
        for row in rows if is_of_threads(row) and row["what"]["experiment"] != COSTS and row["how"].get("stopped")
    ]  # fmt: skip


def _sections(results: Results) -> list[Section]:
    name = results.experiment
    drawn = charts.draw(results)
    text = TEXTS[name] + (LINES if drawn is not None else "")
    if results.state.name:
        text += f" Samples of one state of the machine: {results.state.words()}."
    taken = [
        f"{results.taken(kind):.0%} ({words})" for kind, words in NAMES.items() if results.taken(kind) > LITTLE_TAKEN
    ]
    if taken:
        text += TAKEN.format(each=" and ".join(taken))
    chart = Chart(f"threads-{name}", TITLES[name](results), drawn, text)
    found, points = tables.of_findings(findings(results)), [tables.of_agreements(results), tables.of_points(results)]
    made = [
        Section(parts=[chart]),
        Section(parts=[found] if found.rows else [], judges=True),
        Section(parts=[table for table in points if table.rows]),
    ]
    return [section for section in made if section.parts]


def _spinning(r: Results) -> str:
    said = []
    for kind, name in NAMES.items():
        if points := r.of(threads=kind, barrier="counter"):
            p = points[0]
            said.append(
                f"{nanoseconds(p.episode.value)} on {name} ({two_digits(p.episode.value / p.quantum_ns)} quanta) for "
                f"{nanoseconds(p.compute_ns)} of computing"
            )
    return f"Spinning with a processor too few: {'; '.join(said)}" if said else "Spinning with a processor too few"


def _blocking(r: Results) -> str:
    said = []
    for kind, name in NAMES.items():
        pairs = [(s, b) for s in r.of(threads=kind, waiting="spin")
                 for b in r.of(threads=kind, waiting="share", compute_ns=s.program.compute_ns)]  # fmt: skip
        if pairs:
            said.append(f"up to {two_digits(max(s.over(b).value for s, b in pairs))} times as fast on {name}")
    return f"Yielding instead of spinning is {', '.join(said)}" if said else "Yielding instead of spinning"


def _overhead(r: Results) -> str:
    said = []
    for kind, name in NAMES.items():
        points = r.of(threads=kind, barrier="combination")
        found = [(o[0], p.compute_ns) for p in points if (o := overhead(r, p)) is not None]
        small = list(takewhile(lambda f: f[0] <= SMALL, reversed(found)))
        if small:
            said.append(f"from {nanoseconds(small[-1][1])} of computing on {name}")
    words = f" cost at most {SMALL:.0%} {', '.join(said)}" if said else ""
    return f"Two threads on each processor{words}"


def _processors(r: Results) -> str:
    fullest = [(p, on_fullest(p.program.members, p.program.processors)) for p in r.of()]
    near = sum(p.episode.value <= (1 + STEP) * there * p.compute_ns for p, there in fullest)
    return f"Time follows the threads on the fullest processor at {near} of {len(fullest)} points"


def _policies(r: Results) -> str:
    said = []
    for kind, name in NAMES.items():
        by = {p: [x.efficiency.value for x in r.of(threads=kind, policy=p)] for p in POLICIES}
        means = {p: sum(values) / len(values) for p, values in by.items() if values}
        if means:
            said.append(f"{max(means, key=lambda p: means[p])} on {name}")
    return f"Two applications spend most of the time computing under {', '.join(said)}"


TITLES: dict[str, Callable[[Results], str]] = {
    "spinning": _spinning,
    "blocking": _blocking,
    "overhead": _overhead,
    "processors": _processors,
    "policies": _policies,
}

SUBJECT = Subject(
    name="Threads",
    title="More threads than processors",
    heading="The experiments of 1991 on this machine",
    about="What “The Effects of Multiprogramming on Barrier Synchronization” (Markatos et al. 1991) measured on a "
    "Butterfly, repeated{on}: on kernel threads and on user-level threads, beside the simulator and the formulas.",
    wants=lambda rows: wants(rows) and any(is_of_program(row) for row in rows),
    sections=sections,
    left_out=left_out,
    finding=finding,
    texts={".csv": tables.as_csv},
)
