"""`weir predict`: the formulas beside the simulator and the measurements. `formulas` says where each is from."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from weir.base import options
from weir.base.console import Command
from weir.base.options import option
from weir.base.places import on_fullest
from weir.prediction import formulas as predict
from weir.prediction.delivery import Prediction, Wanted, chart, complaining, deliver
from weir.prediction.options import MOST_MS, Several, Times
from weir.prediction.records import record, words

app = typer.Typer(no_args_is_help=True, help="Predict by formulas what barriers cost where members share processors.")

SEVERAL = "give several compute times, such as --compute-ms 0:60:2"

Json = Annotated[bool, typer.Option("--json", help="The same for machines.")]
Output = Annotated[
    Path | None, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Write records here.")
]
Svg = Annotated[Path | None, option(options.OutputFile(".svg"), help="Draw it as a picture.")]
Page = Annotated[Path | None, option(options.OutputFile(".html"), help="Draw it as one self-contained page.")]
Quantum = Annotated[
    float, option(options.Real(1e-6, MOST_MS, "ms"), help="How long a thread runs before it is preempted.")
]
Compute = Annotated[
    Times, option(Several(), help="Computing between barriers: 12, or 1,2,4, or 0:60:2 (from, to, step).")
]
FanIn = Annotated[int, option(options.Whole(2, options.MOST_MEMBERS), help="Children of a node of the tree.")]
Team = options.Whole(2, options.MOST_MEMBERS)
Processors = options.Whole(1, options.MOST_MEMBERS)


@app.command()
def processors(
    threads: Annotated[int, option(options.Whole(1, 10_000), help="Threads of the team.")] = 16,
    available: Annotated[
        int | None, option(Processors, help="Processors that the team could be given (its threads).")
    ] = None,
    as_json: Json = False,
    output: Output = None,
    svg: Svg = None,
    page: Page = None,
) -> None:
    """How many processors a team can use: the fullest one sets its pace."""
    with complaining():
        given = threads if available is None else available
        useful = predict.useful_processors(threads, given)
        steps = predict.staircase(threads)
        fullest = on_fullest(threads, given)
        width = min(threads, 24)
        rows: list[dict[str, Any]] = [
            {
                "least": s.least,
                "most": s.most,
                "processors": str(s.least) if s.least == s.most else f"{s.least} to {s.most}",
                "threads": s.threads,
                "bar": "█" * max(1, round(s.threads * width / threads)),
                "here": "here" if s.least <= min(given, threads) <= s.most else "",
            }
            for s in steps
        ]
        if useful < given:
            note = (
                f"{useful} processors do as well as {given}: either way the fullest has {fullest} of {threads} threads."
            )
        else:
            note = f"All {given} are of use: with one fewer the fullest processor has more than {fullest} threads."
        made = [
            record(("any", "none", "staircase"), (threads, p), Fraction(1), Fraction(s.threads), "ceil(M/P) T")
            for s in steps
            for p in range(s.least, s.most + 1)
        ]

        def draw() -> Any:
            from weir.prediction import charts as predictions

            return predictions.staircase(steps, min(given, threads), useful)

        answer = Prediction(
            "processors",
            f"{threads} threads on up to {threads} processors",
            {"threads": threads, "available": given, "useful": useful, "threads_on_fullest": fullest},
            {"processors": "processors", "threads": "threads on the fullest", "bar": "time of a barrier", "here": ""},
            rows,
            [note],
            made,
            draw,
            for_eyes=("processors", "bar", "here"),
        )
        deliver(answer, Wanted(as_json, output, svg, page))


def _spinning_row(threads: int, quantum: float, compute: Fraction, barriers: int) -> dict[str, Any]:
    row: dict[str, Any] = {"compute_ms": compute, "total_ms": predict.recurrence(quantum, compute, barriers)[-1]}
    row["recurrence_ms"] = row["total_ms"] / barriers
    p = predict.pattern(quantum, compute)
    row["pattern"] = f"{p.barriers} in {p.quanta}"
    row["closed_form_ms"] = predict.closed_form(quantum, compute, barriers) / barriers
    row["approximation_ms"] = predict.approximation(quantum, compute, barriers) / barriers
    if predict.tree_levels(threads) > 1:
        row["tree_ms"] = predict.tree_quanta(threads, quantum, compute) * predict.exact(quantum, "the quantum")
    row["own_ms"] = 2 * compute
    return row


@app.command()
def spinning(
    threads: Annotated[int, option(Team, help="Threads of the team.")] = 16,
    processors: Annotated[int, option(Processors, help="Processors, each with one or two of them.")] = 15,
    quantum_ms: Quantum = 20,
    compute_ms: Compute = "12",
    barriers: Annotated[
        int, option(options.Whole(1, 100_000), help="How many barriers the time is averaged over.")
    ] = 100,
    as_json: Json = False,
    output: Output = None,
    svg: Svg = None,
    page: Page = None,
) -> None:
    """A central barrier whose waiters spin until their quantum ends."""
    with complaining():
        predict.check_shared_by_two(threads, processors)
        if barriers * len(compute_ms) > predict.MOST_QUANTA:
            raise ValueError(f"--barriers {barriers} for each of {len(compute_ms)} times of --compute-ms take too long")
        rows = [_spinning_row(threads, quantum_ms, t, barriers) for t in compute_ms]
        notes = [
            "Milliseconds for one barrier, on the average, with T of computing. R in L: barriers in quanta. "
            "Tree: the same team at a tree of fan-in 4. 2 T: what two threads on one processor compute."
        ]
        if len(rows) == 1:
            notes.append(f"{barriers} barriers take {words(rows[0]['total_ms'])} ms by the recurrence.")
        made = []
        for row in rows:
            given = {"quantum_ms": quantum_ms, "barriers": barriers}
            for name, formula in (
                ("recurrence", "t_n = min(floor(t_{n-1}) + 1, t_{n-2} + Q)"),
                ("approximation", "N Q L / R"),
            ):
                barrier, episode = ("central", "spin", name), row[f"{name}_ms"]
                made.append(record(barrier, (threads, processors), row["compute_ms"], episode, formula, **given))
        lines = {
            "recurrence_ms": ("central, recurrence", ""),
            "approximation_ms": ("central, approximation", "estimate"),
            "tree_ms": ("tree, fan-in 4", ""),
            "own_ms": ("computing alone", "floor"),
        }
        answer = Prediction(
            "spinning",
            f"{threads} threads on {processors} processors spin at a central barrier, quantum {quantum_ms:g} ms",
            {"threads": threads, "processors": processors, "quantum_ms": quantum_ms, "barriers": barriers},
            {
                "compute_ms": "T",
                "recurrence_ms": "recurrence",
                "closed_form_ms": "closed form",
                "approximation_ms": "approximation",
                "pattern": "R in L",
                "tree_ms": "tree",
                "own_ms": "2 T",
            },
            rows,
            notes,
            made,
            chart(lines, rows, "one barrier, ms"),
            SEVERAL,
        )
        deliver(answer, Wanted(as_json, output, svg, page))


@app.command()
def tree(
    members: Annotated[int, option(Team, help="Members of the team.")] = 16,
    processors: Annotated[int | None, option(Processors, help="Processors (one fewer than members).")] = None,
    fan_in: FanIn = 4,
    quantum_ms: Quantum = 20,
    compute_ms: Compute = "1",
    as_json: Json = False,
    output: Output = None,
    svg: Svg = None,
    page: Page = None,
) -> None:
    """A tree barrier whose waiters spin until their quantum ends."""
    with complaining():
        used = members - 1 if processors is None else processors
        predict.check_shared_by_two(members, used)
        levels = predict.tree_levels(members, fan_in)
        rows: list[dict[str, Any]] = []
        made = []
        for compute in compute_ms:
            quanta = predict.tree_quanta(members, quantum_ms, compute, fan_in)
            tree_ms = quanta * predict.exact(quantum_ms, "the quantum")
            rows.append({"compute_ms": compute, "quanta": quanta, "tree_ms": tree_ms, "own_ms": 2 * compute})
            given = {"quantum_ms": quantum_ms, "fan_in": fan_in}
            formula = "ceil(log_f M) ceil(T/Q) Q"
            made.append(record(("tree", "spin", "levels"), (members, used), compute, tree_ms, formula, **given))
        answer = Prediction(
            "tree",
            f"{members} members on {used} processors spin at a tree barrier, quantum {quantum_ms:g} ms",
            {
                "members": members,
                "processors": used,
                "fan_in": fan_in,
                "quantum_ms": quantum_ms,
                "levels": levels,
            },
            {
                "compute_ms": "computing, ms",
                "quanta": "quanta",
                "tree_ms": "one barrier, ms",
                "own_ms": "computing alone, ms",
            },
            rows,
            [f"{levels} levels at fan-in {fan_in}; each may cost a member's wait for its next quantum."],
            made,
            chart({"tree_ms": ("tree", ""), "own_ms": ("computing alone", "floor")}, rows, "one barrier, ms"),
            SEVERAL,
        )
        deliver(answer, Wanted(as_json, output, svg, page))


@app.command()
def blocking(
    members: Annotated[int, option(Team, help="Members of the team.")] = 16,
    processors: Annotated[int, option(Processors, help="Processors that they share.")] = 8,
    fan_in: FanIn = 4,
    switch_us: Annotated[float, option(options.Real(0, 1e9, "µs"), help="What a context switch takes.")] = 100,
    compute_ms: Compute = "1",
    barrier: Annotated[str | None, option(options.OneOf(*predict.BLOCKING), help="Only this one.")] = None,
    as_json: Json = False,
    output: Output = None,
    svg: Svg = None,
    page: Page = None,
) -> None:
    """Barriers whose waiters yield to other members on their processor: at most so many context switches."""
    with complaining():
        computing = compute_ms
        switch = predict.exact(switch_us, "the time of a context switch") / 1000
        rows: list[dict[str, Any]] = []
        made = []
        for name in (barrier,) if barrier else predict.BLOCKING:
            for t in computing:
                b = predict.blocking(name, members, processors, switch, t, fan_in)
                rows.append(
                    {
                        "barrier": name,
                        "compute_ms": t,
                        "switches": b.switches,
                        "own_ms": b.compute,
                        "episode_ms": b.episode,
                        "overhead_ms": b.overhead,
                        "overhead": f"{b.share:.1%}" if math.isfinite(b.share) else "–",
                        "share": b.share if math.isfinite(b.share) else None,
                        name: b.share,
                    }
                )
                given = {"switch_us": switch_us, "fan_in": fan_in}
                barrier_of = (name, "share", "switches")
                made.append(
                    record(barrier_of, (members, processors), t, b.episode, "ceil(M/P) T + s c", "Weir", **given)
                )
        lines = {name: (name, "") for name in ([barrier] if barrier else predict.BLOCKING)}
        draw = chart(lines, rows, "overhead, of the computing", percent=True)
        answer = Prediction(
            "blocking",
            f"{members} members on {processors} processors block, a context switch takes {switch_us:g} µs",
            {"members": members, "processors": processors, "fan_in": fan_in, "switch_us": switch_us},
            {
                "barrier": "barrier",
                "compute_ms": "computing, ms",
                "switches": "switches",
                "own_ms": "computing on the fullest, ms",
                "episode_ms": "one barrier, ms",
                "overhead": "overhead",
            },
            [{k: v for k, v in row.items() if k not in predict.BLOCKING} for row in rows],
            ["An upper bound, with a switch wherever there may be one; the closed form is Weir's, not the paper's."],
            made,
            draw,
            SEVERAL,
        )
        deliver(answer, Wanted(as_json, output, svg, page))


COMMAND = Command("predict", app)
