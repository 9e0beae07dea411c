"""`weir bench mpi`."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from weir import native, records
from weir.console import bar, fail, names, nothing, numbers, out, tell_states, warn
from weir.mpi import launchers, plan
from weir.mpi.comparison import Comparison, comparisons, targets
from weir.mpi.measuring import Conditions, Measuring, Start
from weir.mpi.tables import tables
from weir.screen import shown, times
from weir.states import in_words

LEVELS = ("funneled", "serialized", "multiple")
METHODS = ("round-time", "consecutive", "both")
ON_THE_PAGE = ("mean", "σ", "least", "samples, runs")  # what a terminal has no room for


def _among(asked: list[str], known: tuple[str, ...], option: str) -> None:
    for name in asked:
        if name not in known:
            raise fail(f"{option} takes {', '.join(known)}, not {name!r}")


def mpi(
    on: Annotated[str | None, typer.Option("--mpi", help="Only these: openmpi,mpich (all that are here).")] = None,
    processes: Annotated[str | None, typer.Option(help="How many, such as 2,4,8,16.")] = None,
    threads: Annotated[str | None, typer.Option(help="In each process, such as 1,2,4.")] = None,
    launcher: Annotated[
        str | None, typer.Option(help="'srun -n {processes} -c {threads}': how programs are started.")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--barriers", help="Only these: weir,weir:mcs/rma,MPI_Barrier,team:sense+mcs ...")
    ] = None,
    method: Annotated[str | None, typer.Option(help="round-time, consecutive or both (whichever suits).")] = None,
    level: Annotated[str, typer.Option(help="Of threads: funneled, serialized, multiple; or several.")] = "funneled",
    rounds: Annotated[int | None, typer.Option(min=1, help="Runs, each in fresh processes (5; quick 2).")] = None,
    samples: Annotated[int | None, typer.Option(min=1, help="Measurements in a run (15; quick 8).")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Half a minute for one MPI.")] = False,
    seconds: Annotated[
        float | None, typer.Option(min=1, help="Begin nothing more after so long (270 times the MPIs; quick 40).")
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the records go.")] = Path("out/mpi.jsonl"),
) -> None:
    """Measure barriers of processes, and of threads and processes, under each MPI of this machine or your launcher."""
    levels = names(level) or ["funneled"]
    _among(levels, LEVELS, "--level")
    _among([method] if method else [], METHODS, "--method")
    sizes = plan.sizes(
        numbers(processes, "--processes", 100_000) if processes else None,
        numbers(threads, "--threads", 1024) if threads else None,
        quick,
    )
    try:
        host = native.ask("weir-info")
        mpis, missing = launchers.found(names(on), launcher)
        starts = _starts(mpis, sizes, levels, quick, names(only))
        writer = records.Writer(output)
    except (native.NativeError, plan.Unknown, OSError) as error:
        raise fail(str(error)) from None
    for word in missing:
        warn(word)
    how = Conditions(
        rounds=rounds or (2 if quick else 5),
        samples=samples or (8 if quick else 15),
        series_ms=100.0 if quick else 200.0,
        method=method,
        levels=tuple(levels),
    )
    with writer, bar() as progress:
        task = progress.add_task("starting")
        measuring = Measuring(starts, how, writer, lambda d, n: progress.update(task, description=d, advance=n))
        progress.update(task, total=measuring.steps())
        measuring.run(host, time.monotonic() + (seconds or len(mpis) * (40 if quick else 270)))
    for complaint in dict.fromkeys(measuring.complaints):
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
        raise fail("nothing was measured: what kept it from that is said above")


def _starts(
    mpis: list[launchers.Mpi], sizes: list[plan.Size], levels: list[str], quick: bool, only: list[str] | None
) -> list[Start]:
    made = []
    for size in sizes:
        chosen = plan.subjects(size, quick, only)
        # With one thread the level is of no account.
        of_size = levels if size.threads > 1 else levels[:1]
        made += [Start(m, size, level, chosen) for m in mpis for level in of_size if chosen]
    if not sizes:
        raise plan.Unknown("one process of one thread has nobody to wait for: give --processes or --threads 2 or more")
    measured = {name for start in made for name in start.subjects}
    unfit = [name for name in only or [] if name not in measured]
    if not made:
        raise plan.Unknown(f"--barriers {','.join(unfit)}: none of them is one of these processes and threads")
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
