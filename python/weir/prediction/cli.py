"""`weir predict`."""

from pathlib import Path
from typing import Annotated

import typer

from weir.base import options
from weir.base.console import Command
from weir.base.options import option
from weir.prediction import answers
from weir.prediction.delivery import Wanted, complaining, deliver
from weir.prediction.formulas import BLOCKING
from weir.prediction.options import MOST_MS, Several, Times

app = typer.Typer(no_args_is_help=True, help="Predict by formulas what barriers cost when threads share processors.")

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Output = Annotated[
    Path | None, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Also write records to this file.")
]
Svg = Annotated[Path | None, option(options.OutputFile(".svg"), help="Also write the chart as a picture.")]
Page = Annotated[Path | None, option(options.OutputFile(".html"), help="Also write a page of chart and table.")]
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
    threads: Annotated[int, option(options.Whole(1, 10_000), help="Threads in the team.")] = 16,
    available: Annotated[
        int | None, option(Processors, help="Processors that are available (as many as threads).")
    ] = None,
    as_json: Json = False,
    output: Output = None,
    svg: Svg = None,
    page: Page = None,
) -> None:
    """How many processors a team can use: its speed depends on the fullest one."""
    with complaining():
        answer = answers.processors(threads, threads if available is None else available)
        deliver(answer, Wanted(as_json, output, svg, page))


@app.command()
def spinning(
    threads: Annotated[int, option(Team, help="Threads in the team.")] = 16,
    processors: Annotated[int, option(Processors, help="Processors; each has one or two of the threads.")] = 15,
    quantum_ms: Quantum = 20,
    compute_ms: Compute = "12",
    barriers: Annotated[int, option(options.Whole(1, 100_000), help="Average over this many barriers.")] = 100,
    as_json: Json = False,
    output: Output = None,
    svg: Svg = None,
    page: Page = None,
) -> None:
    """A central barrier whose waiters spin until their quantum ends."""
    with complaining():
        answer = answers.spinning(threads, processors, quantum_ms, compute_ms, barriers)
        deliver(answer, Wanted(as_json, output, svg, page))


@app.command()
def tree(
    members: Annotated[int, option(Team, help="Threads of the team.")] = 16,
    processors: Annotated[int | None, option(Processors, help="Processors (one fewer than threads).")] = None,
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
        answer = answers.tree(members, used, fan_in, quantum_ms, compute_ms)
        deliver(answer, Wanted(as_json, output, svg, page))


@app.command()
def blocking(
    members: Annotated[int, option(Team, help="Threads of the team.")] = 16,
    processors: Annotated[int, option(Processors, help="Processors that the threads share.")] = 8,
    fan_in: FanIn = 4,
    switch_us: Annotated[float, option(options.Real(0, 1e9, "µs"), help="Time of a context switch.")] = 100,
    compute_ms: Compute = "1",
    barrier: Annotated[str | None, option(options.OneOf(*BLOCKING), help="Only this barrier (all three).")] = None,
    as_json: Json = False,
    output: Output = None,
    svg: Svg = None,
    page: Page = None,
) -> None:
    """Barriers whose waiters yield to other threads on their processor: an upper bound by context switches."""
    with complaining():
        which = (barrier,) if barrier else BLOCKING
        answer = answers.blocking(members, processors, fan_in, switch_us, compute_ms, which)
        deliver(answer, Wanted(as_json, output, svg, page))


COMMAND = Command("predict", app)
