"""`weir bench openmp`."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from weir import native, records
from weir.console import bar, fail, names, nothing, numbers, out, tell_states, warn
from weir.openmp import suite
from weir.openmp.comparison import constructs
from weir.openmp.measuring import Conditions, Measuring
from weir.openmp.runtimes import runtimes
from weir.openmp.situation import Load, Situation
from weir.openmp.tables import tables
from weir.report import parts
from weir.screen import shown
from weir.states import in_words

# What is measured beside others where nothing is named: each sample takes long.
UNDER_LOAD = [
    "parallel",
    "for",
    "parallel-for",
    "barrier",
    "single",
    "reduction",
    "critical",
    "lock",
    "ordered",
    "taskwait",
]


def _situations(threads: str | None, processors: str | None, load: str) -> tuple[Situation, ...]:
    ours = sorted(os.sched_getaffinity(0))
    counts = numbers(processors, "--processors", len(ours)) if processors else [len(ours)]
    sizes = numbers(threads, "--threads", 1024) if threads else [len(ours)]
    try:
        loads = [Load.read(word) for word in names(load) or ["none"]]
    except ValueError as error:
        raise fail(str(error)) from None
    return tuple(Situation(n, tuple(ours[:count]), one) for one in loads for count in counts for n in sizes)


def openmp(
    threads: Annotated[str | None, typer.Option(help="Team sizes, such as 2,4 (as many as processors).")] = None,
    only: Annotated[str | None, typer.Option("--constructs", help="Only these, such as barrier,parallel.")] = None,
    on: Annotated[
        str | None, typer.Option("--runtimes", help="Only these: libgomp,libomp-19, or a library's path.")
    ] = None,
    told: Annotated[
        list[str] | None,
        typer.Option("--environment", help="'OMP_WAIT_POLICY=passive ...' or default; each time a series of its own."),
    ] = None,
    processors: Annotated[str | None, typer.Option(help="How many to use, such as 1,2 (all).")] = None,
    load: Annotated[
        str, typer.Option(help="none, beside (another OpenMP program), quota:1.5 (processors' time).")
    ] = "none",
    cross: Annotated[bool, typer.Option("--cross", help="Each program on every runtime that can run it.")] = False,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Runs, each in fresh processes (10; quick and shared 3).")
    ] = None,
    samples: Annotated[int | None, typer.Option(min=3, help="Measurements in a run (50; quick 15; shared 10).")] = None,
    delay_ns: Annotated[float, typer.Option(min=0, help="Work in each construct.")] = 100.0,
    quick: Annotated[bool, typer.Option("--quick", help="Under a minute for one runtime.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the records go.")] = Path("out/openmp.jsonl"),
) -> None:
    """Measure what each OpenMP construct costs, on every runtime of this machine, side by side."""
    situations = _situations(threads, processors, load)
    shared = any(s.shared for s in situations)
    wanted = names(only) or (UNDER_LOAD if shared else None)
    try:
        host = native.ask("weir-info")
        environments = list(dict.fromkeys(suite.environment(text) for text in told or ["default"]))
        plan = suite.plan(runtimes(), wanted, names(on), cross, environments)
        writer = records.Writer(output)
    except (native.NativeError, suite.Unknown, OSError) as error:
        raise fail(str(error)) from None
    for word in plan.missing:
        warn(word)
    brief = quick or shared
    how = Conditions(
        situations, rounds or (3 if brief else 10), samples or (10 if shared else 15 if quick else 50), delay_ns
    )
    with writer, bar() as progress:
        task = progress.add_task("starting")
        measuring = Measuring(plan.series, how, writer, lambda d, n: progress.update(task, description=d, advance=n))
        progress.update(task, total=measuring.steps())
        measuring.run(host)
    for complaint in dict.fromkeys(measuring.complaints):
        warn(complaint)
    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    show(writer.rows)
    tell_states(in_words(writer.rows))
    if measuring.interrupted:
        out.print("Stopped by hand; what was measured until then is kept.")
    page, table = output.with_suffix(".html"), output.with_suffix(".md")
    out.print(f"Records: {output}. For the page: weir report {output} -o {page}; to paste: -o {table} or .csv")
    if measuring.interrupted:
        raise typer.Exit(130)


def show(rows: list[records.Row]) -> None:
    for one in tables(constructs(rows)):
        titled = replace(one, title=f"{one.title}: overhead of one directive")
        for columns in beside_each_other(titled, out.width):
            out.print(shown(titled, columns))


def beside_each_other(table: parts.Table, width: int) -> list[list[int]]:
    """Which columns to show together, behind the first one, so that none is cut where runtimes are many."""
    needed = [max(len(cell) for cell in column) + 3 for column in zip(table.heads, *table.rows, strict=True)]
    groups: list[list[int]] = []
    for i in range(1, len(needed)):
        if not groups or sum(needed[j] for j in groups[-1]) + needed[i] >= width:
            groups.append([0])
        groups[-1].append(i)
    return groups
