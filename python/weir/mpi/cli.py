"""`weir bench mpi`."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from weir.base import native, options, records
from weir.base.console import Command, bar, end, fail, nothing, nothing_measured, out, tell_load, tell_states, warn
from weir.base.names import Unknown
from weir.base.options import option
from weir.base.others import disturbed, watched
from weir.base.screen import shown, times
from weir.base.states import in_words
from weir.mpi import launchers, plan
from weir.mpi.comparison import Comparison, comparisons, targets
from weir.mpi.measuring import Conditions, Measuring, planned
from weir.mpi.tables import tables

LEVELS = ("funneled", "serialized", "multiple")
METHODS = ("round-time", "consecutive", "both")
MOST_PROCESSES, MOST_THREADS = 65_536, 1024
LAUNCHER = options.Text("a command with {processes} in it, and {threads} if need be", launchers.check, "COMMAND")
LAUNCHER.right, LAUNCHER.wrong = ("srun -n {processes}",), ("srun -n 4", "srun -n {processes", "srun {} {processes}")
ON_THE_PAGE = ("mean", "σ", "least", "samples, runs")  # too wide for a terminal


def mpi(
    on: Annotated[
        options.Names | None,
        option(options.names("MPIs", launchers.NAMES), "--mpi", help="Only these: openmpi,mpich (all that are here)."),
    ] = None,
    processes: Annotated[
        options.Numbers | None, option(options.numbers(1, MOST_PROCESSES), help="Numbers of processes, such as 2,4,8.")
    ] = None,
    threads: Annotated[
        options.Numbers | None, option(options.numbers(1, MOST_THREADS), help="Threads in each process, such as 1,2,4.")
    ] = None,
    launcher: Annotated[
        str | None,
        option(LAUNCHER, help="The command that starts programs, such as 'srun -n {processes} -c {threads}'."),
    ] = None,
    only: Annotated[
        options.Names | None,
        option(
            options.names("barriers"),
            "--barriers",
            help="Only these: weir,weir:mcs/rma,MPI_Barrier,team:sense+mcs ...",
        ),
    ] = None,
    method: Annotated[
        str | None, option(options.OneOf(*METHODS), help="How to measure (by default, the method that suits).")
    ] = None,
    level: Annotated[
        options.Names, option(options.names("levels of threads", LEVELS), help="MPI's thread levels, one or several.")
    ] = "funneled",
    rounds: Annotated[
        int | None, option(options.Whole(1, options.MOST_ROUNDS), help="Runs, each in fresh processes (5; quick 2).")
    ] = None,
    samples: Annotated[
        int | None, option(options.Whole(1, options.MOST_SAMPLES), help="Measurements in a run (15; quick 8).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A short session: half a minute for each MPI.")] = False,
    seconds: Annotated[
        float | None,
        option(
            options.Real(1, options.MOST_SECONDS, "s"),
            help="Start no run after this many seconds (270 for each MPI; quick 40).",
        ),
    ] = None,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/mpi.jsonl"),
) -> None:
    """Measure barriers of processes, and of threads and processes, under each MPI of this machine or your launcher."""
    sizes = plan.sizes(processes, threads, quick)
    try:
        if launcher is None:
            plan.check_size(sizes)
        host = native.ask("weir-info")
        mpis, missing = launchers.found(on, launcher)
        starts, unfit = planned(mpis, sizes, level, quick, only)
        writer = records.Writer(output)
    except (native.NativeError, Unknown, OSError) as error:
        raise fail(str(error)) from None
    for word in missing:
        warn(word)
    for name in unfit:
        warn(f"--barriers: {name} is none of these processes and threads, and is left out")
    how = Conditions(
        rounds=rounds or (2 if quick else 5),
        samples=samples or (8 if quick else 15),
        series_ms=100.0 if quick else 200.0,
        method=method,
        levels=tuple(level),
    )
    with writer, watched(writer), bar() as progress:
        task = progress.add_task("starting")
        measuring = Measuring(starts, how, writer, lambda d, n: progress.update(task, description=d, advance=n))
        progress.update(task, total=measuring.steps())
        measuring.run(host, time.monotonic() + (len(mpis) * (40 if quick else 270) if seconds is None else seconds))
    for complaint in measuring.complaints:
        warn(complaint)
    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    found = comparisons(writer.rows)
    tell_load(writer.rows)
    show(found, judged=not disturbed(writer.rows))
    tell_states(in_words(writer.rows))
    end(output, output.with_suffix(".html"), measuring.interrupted)
    if not found:
        raise nothing_measured()


def show(found: list[Comparison], judged: bool = True) -> None:
    for one in tables(found):
        # The column of ratios: 1 for the barrier that the others are compared with.
        heads = ["ratio" if head.startswith("/") else head for head in one.heads]
        out.print(shown(replace(one, heads=heads), [i for i, h in enumerate(heads) if h not in ON_THE_PAGE]))
    for t in targets(found) if judged else ():
        style = {"reached": "green", "missed": "bold red"}.get(t.verdict, "yellow")
        says = f"{times(t.measured)}, at most {t.limit:.2f}"
        out.print(Text(f"{t.verdict}: {t.what} {says}; {t.detail}", style=style))


COMMAND = Command("bench mpi", mpi)
