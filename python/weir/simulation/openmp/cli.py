"""`weir simulate openmp`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, records
from weir.base.complaints import Complaints
from weir.base.console import Command, bar, end, fail, nothing, out, refuse_others, warn
from weir.base.names import Unknown
from weir.base.options import option
from weir.base.parts import Table
from weir.base.screen import shown, width
from weir.simulation.openmp import beside as comparing
from weir.simulation.openmp import plan as planning
from weir.simulation.openmp import tables
from weir.simulation.openmp.measuring import Measuring
from weir.simulation.openmp.results import simulated
from weir.simulation.scenario import BadScenario

MACHINES = ",".join(planning.MACHINES)


def openmp(
    context: typer.Context,
    machines: Annotated[
        options.Names,
        option(
            options.ListOf("machines' files, or their names", str), help="On which machines: epyc-9654-2s,grace-2s."
        ),
    ] = MACHINES,
    threads: Annotated[
        options.Numbers | None,
        option(options.numbers(2, 1024), help="Team sizes (2, 8, 32, 128, 512, and all processors of a machine)."),
    ] = None,
    only: Annotated[
        options.Names | None,
        option(options.names("constructs"), "--constructs", help="Only these, or of these groups: barrier,task."),
    ] = None,
    on: Annotated[
        options.Names | None,
        option(
            options.names("runtimes"), "--runtimes", help="Only these: weir, or a model of another: libgomp,libomp."
        ),
    ] = None,
    homes: Annotated[
        str,
        option(
            options.OneOf(*planning.HOMES),
            help="Where memory lies: first-touch is beside the thread that allocates it, waiter beside who waits.",
        ),
    ] = planning.HOMES[0],
    delay_ns: Annotated[
        float, option(options.Real(0, options.MOST_DELAY_NS, "ns"), help="Work in each construct, in nanoseconds.")
    ] = 100.0,
    seeds: Annotated[int, option(options.Whole(1, 1000), help="Runs of each point, each with its own seed.")] = 1,
    beside: Annotated[
        Path | None,
        option(options.InputFile(), help="Simulate this machine, beside these records of weir bench openmp."),
    ] = None,
    jobs: options.Jobs = None,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/simulate-openmp.jsonl"),
) -> None:
    """Simulate what OpenMP constructs cost on machines with many processors, by the source of Weir's runtime."""
    names = machines if isinstance(machines, tuple) else machines.split(",")
    measured = None
    try:
        if beside is not None:
            refuse_others(context, {"beside", "only", "on", "homes", "seeds", "jobs", "output"}, "--beside")
            measured = comparing.Beside(records.read([beside])[0], output)
            names, threads = [str(path) for path, _ in measured.machines.values()], tuple(measured.sizes)
            only = only or [name for name in planning.constructs() if name in measured.names]
        plan = planning.plan(names, threads, only, on, homes, delay_ns, seeds)
        writer = records.Writer(output)
    except (native.NativeError, Unknown, BadScenario, OSError) as error:
        raise fail(str(error)) from None
    with writer, bar() as progress:
        task = progress.add_task("simulating", total=len(plan.points))
        measuring = Measuring(plan, writer, lambda d, n: progress.update(task, description=d, advance=n))
        measuring.run(jobs)
    failed = Complaints()
    for point, reason in measuring.failures:
        failed.add(reason, point.words)
    for complaint in failed:
        warn(complaint)
    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    if measured is None:
        made = [make(of) for of in simulated(writer.rows) for make in (tables.best, tables.counted)]
    else:
        made = comparing.tables(measured.pairs(writer.rows))
    show([table for table in made if table.rows], on_page=measured is None)
    end(output, output.with_suffix(".html"), measuring.interrupted, "simulated")
    if measuring.failures:
        raise typer.Exit(1)


def show(made: Sequence[Table], on_page: bool) -> None:
    """Each row is one line: with all columns if they fit in all tables of a kind, else without those that say less."""
    wide: dict[tuple[str, ...], int] = {}
    for table in made:
        wide[tuple(table.heads)] = max(width(table), wide.get(tuple(table.heads), 0))
    for table in made:
        fits = wide[tuple(table.heads)] <= out.width
        out.print(shown(table, [i for i, head in enumerate(table.heads) if fits or head not in tables.SAY_LESS]))
    widest = max(wide.values(), default=0)
    if widest > out.width:
        where = "; the page shows it" if on_page else ""
        out.print(f"With all columns a table is {widest} characters wide{where}.")


COMMAND = Command("simulate openmp", openmp)
