"""`weir bench mpi`."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from weir.base import native, options, records
from weir.base.console import Command, bar, fail, nothing, nothing_measured, out, tell_states, warn
from weir.base.names import Unknown
from weir.base.options import option
from weir.base.screen import shown, times
from weir.base.states import in_words
from weir.mpi import launchers, plan
from weir.mpi.comparison import Comparison, comparisons, targets
from weir.mpi.measuring import Conditions, Measuring, Start
from weir.mpi.tables import tables

LEVELS = ("funneled", "serialized", "multiple")
METHODS = ("round-time", "consecutive", "both")
MOST_PROCESSES, MOST_THREADS = 65_536, 1024
LAUNCHER = options.Text("a command with {processes} in it, and {threads} if need be", launchers.check, "COMMAND")
LAUNCHER.right, LAUNCHER.wrong = ("srun -n {processes}",), ("srun -n 4", "srun -n {processes", "srun {} {processes}")
ON_THE_PAGE = ("mean", "σ", "least", "samples, runs")  # what a terminal has no room for


def mpi(
    on: Annotated[
        options.Names | None,
        option(options.names("MPIs", launchers.NAMES), "--mpi", help="Only these: openmpi,mpich (all that are here)."),
    ] = None,
    processes: Annotated[
        options.Numbers | None, option(options.numbers(1, MOST_PROCESSES), help="How many, such as 2,4,8,16.")
    ] = None,
    threads: Annotated[
        options.Numbers | None, option(options.numbers(1, MOST_THREADS), help="In each process, such as 1,2,4.")
    ] = None,
    launcher: Annotated[
        str | None,
        option(LAUNCHER, help="'srun -n {processes} -c {threads}': how programs are started."),
    ] = None,
    only: Annotated[
        options.Names | None,
        option(
            options.names("barriers"),
            "--barriers",
            help="Only these: weir,weir:mcs/rma,MPI_Barrier,team:sense+mcs ...",
        ),
    ] = None,
    method: Annotated[str | None, option(options.OneOf(*METHODS), help="Else whichever suits.")] = None,
    level: Annotated[
        options.Names, option(options.names("levels of threads", LEVELS), help="One or several.")
    ] = "funneled",
    rounds: Annotated[
        int | None, option(options.Whole(1, options.MOST_ROUNDS), help="Runs, each in fresh processes (5; quick 2).")
    ] = None,
    samples: Annotated[
        int | None, option(options.Whole(1, options.MOST_SAMPLES), help="Measurements in a run (15; quick 8).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Half a minute for one MPI.")] = False,
    seconds: Annotated[
        float | None,
        option(
            options.Real(1, options.MOST_SECONDS, "s"),
            help="Begin nothing more after so long (270 times the MPIs; quick 40).",
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
        starts = _starts(mpis, sizes, level, quick, only)
        writer = records.Writer(output)
    except (native.NativeError, Unknown, OSError) as error:
        raise fail(str(error)) from None
    for word in missing:
        warn(word)
    how = Conditions(
        rounds=rounds or (2 if quick else 5),
        samples=samples or (8 if quick else 15),
        series_ms=100.0 if quick else 200.0,
        method=method,
        levels=tuple(level),
    )
    with writer, bar() as progress:
        task = progress.add_task("starting")
        measuring = Measuring(starts, how, writer, lambda d, n: progress.update(task, description=d, advance=n))
        progress.update(task, total=measuring.steps())
        measuring.run(host, time.monotonic() + (len(mpis) * (40 if quick else 270) if seconds is None else seconds))
    for complaint in measuring.complaints:
        warn(complaint)
    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    found = comparisons(writer.rows)
    show(found)
    tell_states(in_words(writer.rows))
    if measuring.interrupted:
        out.print("Stopped by hand; what was measured until then is kept.")
    out.print(f"Records: {output}. For the page: weir report {output} -o {output.with_suffix('.html')}")
    if measuring.interrupted:
        raise typer.Exit(130)
    if not found:
        raise nothing_measured()


def _starts(
    mpis: list[launchers.Mpi], sizes: list[plan.Size], levels: Sequence[str], quick: bool, only: Sequence[str] | None
) -> list[Start]:
    made = []
    for size in sizes:
        chosen = plan.subjects(size, quick, only)
        # With one thread the level is of no account.
        of_size = levels if size.threads > 1 else levels[:1]
        made += [Start(m, size, level, chosen) for m in mpis for level in of_size if chosen]
    if not sizes:
        raise Unknown("one process of one thread has nobody to wait for: give --processes or --threads 2 or more")
    measured = {name for start in made for name in start.subjects}
    unfit = [name for name in only or [] if name not in measured]
    if not made:
        raise Unknown(f"--barriers {','.join(unfit)}: none of them is one of these processes and threads")
    for name in unfit:
        warn(f"--barriers: {name} is none of these processes and threads, and is left out")
    return made


def show(found: list[Comparison]) -> None:
    for one in tables(found):
        # The one that others are held against has 1 there.
        heads = ["ratio" if head.startswith("/") else head for head in one.heads]
        out.print(shown(replace(one, heads=heads), [i for i, h in enumerate(heads) if h not in ON_THE_PAGE]))
    for t in targets(found):
        style = {"reached": "green", "missed": "bold red"}.get(t.verdict, "yellow")
        says = f"{times(t.measured)}, at most {t.limit:.2f}"
        out.print(Text(f"{t.verdict}: {t.what} {says}; {t.detail}", style=style))


COMMAND = Command("bench mpi", mpi)
