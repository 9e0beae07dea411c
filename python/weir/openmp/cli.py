"""`weir bench openmp`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, records
from weir.base.console import (
    Command,
    bar,
    end,
    fail,
    nothing,
    nothing_measured,
    out,
    refuse_others,
    tell_load,
    tell_states,
    warn,
)
from weir.base.names import Unknown
from weir.base.options import option
from weir.base.others import watched
from weir.base.screen import shown, width
from weir.base.states import in_words
from weir.openmp import reporting, suite
from weir.openmp.comparison import constructs
from weir.openmp.confirming import confirmed
from weir.openmp.measuring import Conditions, Measuring
from weir.openmp.runtimes import runtimes, task_libraries
from weir.openmp.situation import LEAST_QUOTA, MOST_QUOTA, PROCESSORS, Load, situations
from weir.openmp.tables import summaries, tables, title

MOST_THREADS = 1024
LOADS = options.ListOf(f"none, beside or quota:C (C processors, from {LEAST_QUOTA} to {MOST_QUOTA})", Load.read)
LOADS.right = ("none", "none,beside", f"quota:{LEAST_QUOTA}", f"quota:{MOST_QUOTA}")
LOADS.wrong += ("quota:0", "quota:-1", "quota:nan", "quota:1e9", "quota:", "quota:99999999999999", "busy")


def openmp(
    context: typer.Context,
    threads: Annotated[
        options.Numbers | None,
        option(options.numbers(1, MOST_THREADS), help="Team sizes, such as 2,4 (as many as processors)."),
    ] = None,
    only: Annotated[
        options.Names | None,
        option(options.names("constructs"), "--constructs", help="Only these, or of these groups: barrier,task."),
    ] = None,
    on: Annotated[
        options.Names | None,
        option(options.names("runtimes"), "--runtimes", help="Only these: libgomp,libomp-19, or a library's path."),
    ] = None,
    told: Annotated[
        list[str] | None,
        option(
            options.Text(suite.ENVIRONMENT, suite.environment),
            "--environment",
            help="Settings such as 'OMP_WAIT_POLICY=passive', or default. May be repeated.",
        ),
    ] = None,
    processors: Annotated[
        options.Numbers | None,
        option(options.numbers(1, len(PROCESSORS)), help="Numbers of processors to use, such as 1,2 (all)."),
    ] = None,
    load: Annotated[
        options.Names,
        option(LOADS, help="none, beside (another OpenMP program runs), quota:1.5 (a CPU quota of 1.5 processors)."),
    ] = "none",
    cross: Annotated[bool, typer.Option("--cross", help="Run each program on every runtime that can run it.")] = False,
    rounds: Annotated[
        int | None,
        option(options.Whole(1, options.MOST_ROUNDS), help="Runs, in fresh processes (10; quick, shared, long 3)."),
    ] = None,
    samples: Annotated[
        int | None,
        option(options.Whole(3, options.MOST_SAMPLES), help="Measurements in a run (50; quick 15; shared, long 10)."),
    ] = None,
    delay_ns: Annotated[
        float, option(options.Real(0, options.MOST_DELAY_NS, "ns"), help="Work in each construct, in nanoseconds.")
    ] = 100.0,
    quick: Annotated[bool, typer.Option("--quick", help="A short session: under a minute for each runtime.")] = False,
    report_to: Annotated[
        Path | None,
        option(
            options.OutputFile(*options.RECORDS),
            help="Ten minutes in one file for others: transfers, some constructs, 2, half and all processors.",
        ),
    ] = None,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/openmp.jsonl"),
) -> None:
    """Measure what each OpenMP construct costs, on every runtime of this machine."""
    if report_to is not None:
        refuse_others(context, {"report_to", "threads", "only", "on", "told", "rounds", "samples"}, "--report-to")
        output, threads = report_to, threads or reporting.sizes(len(PROCESSORS))
        rounds, samples = rounds or reporting.ROUNDS, samples or reporting.SAMPLES
    where = situations(threads, processors, load)
    shared = any(s.shared for s in where)
    wanted = only or (suite.UNDER_LOAD if shared else None)
    try:
        host = native.ask("weir-info")
        environments = list(dict.fromkeys(suite.environment(text) for text in told or ["default"]))
        plan = confirmed(suite.plan(runtimes() + task_libraries(), wanted, on, cross, environments))
        if report_to is not None and only is None:
            plan.series = reporting.chosen(plan.series)
        writer = records.Writer(output)
    except (native.NativeError, Unknown, OSError) as error:
        raise fail(str(error)) from None
    for word in plan.missing:
        warn(word)
    # Samples that last tens of milliseconds: fewer are taken.
    long = shared or any(s.group == suite.PROGRAM for s in plan.series)
    how = Conditions(
        where, rounds or (3 if quick or long else 10), samples or (10 if long else 15 if quick else 50), delay_ns
    )
    if report_to is not None:
        how = replace(how, seconds=reporting.SECONDS, pairs=reporting.pairs(PROCESSORS))
    with writer, watched(writer), bar() as progress:
        task = progress.add_task("starting")
        measuring = Measuring(plan.series, how, writer, lambda d, n: progress.update(task, description=d, advance=n))
        progress.update(task, total=measuring.steps())
        measuring.run(host)
    for complaint in measuring.complaints:
        warn(complaint)
    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    tell_load(writer.rows)
    show(writer.rows)
    tell_states(in_words(writer.rows))
    if report_to is not None:
        out.print(f"On any machine, beside the simulation: weir simulate openmp --beside {output}", highlight=False)
    table = output.with_suffix(".md")
    end(output, output.with_suffix(".html"), measuring.interrupted, more=f"; to paste: -o {table} or .csv")
    if all(row["kind"] != "overhead" for row in writer.rows):
        raise nothing_measured()


def show(rows: list[records.Row]) -> None:
    """Each row is one line: with a column for each runtime if they fit, else with the cheapest alone."""
    found = constructs(rows)
    full = tables(found)
    fits = all(width(table) <= out.width for table in full)
    for one in full if fits else summaries(found):
        out.print(shown(replace(one, title=title(one)), range(len(one.heads))))
    if not fits:
        out.print(f"A table with all runtimes is {max(map(width, full))} characters wide; the page shows it.")


COMMAND = Command("bench openmp", openmp)
