"""`weir bench openmp`."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from weir import native, records
from weir.console import bar, fail, out, warn
from weir.openmp import suite
from weir.openmp.comparison import Construct, constructs
from weir.openmp.measuring import Conditions, Measuring
from weir.openmp.runtimes import runtimes
from weir.openmp.verdict import cell, verdict
from weir.records import Row


def _names(text: str | None) -> list[str] | None:
    return [name.strip() for name in text.split(",") if name.strip()] if text else None


def openmp(
    threads: Annotated[str | None, typer.Option(help="Team sizes, such as 2,4 (as many as processors).")] = None,
    only: Annotated[str | None, typer.Option("--constructs", help="Only these, such as barrier,parallel.")] = None,
    on: Annotated[str | None, typer.Option("--runtimes", help="Only these, such as libgomp,libomp-19.")] = None,
    cross: Annotated[bool, typer.Option("--cross", help="Each program on every runtime that can run it.")] = False,
    rounds: Annotated[int | None, typer.Option(min=1, help="Runs, each in fresh processes (10; quick 3).")] = None,
    samples: Annotated[int | None, typer.Option(min=3, help="Measurements in a run (50; quick 15).")] = None,
    delay_ns: Annotated[float, typer.Option(min=0, help="Work in each construct.")] = 100.0,
    quick: Annotated[bool, typer.Option("--quick", help="Under a minute for one runtime.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the records go.")] = Path("out/openmp.jsonl"),
) -> None:
    """Measure what each OpenMP construct costs, on every runtime of this machine, side by side."""
    processors = len(os.sched_getaffinity(0))
    try:
        host = native.ask("weir-info")
        plan = suite.plan(runtimes(), _names(only), _names(on), cross)
        sizes = tuple(int(n) for n in _names(threads) or [str(processors)])
        writer = records.Writer(output)
    except (native.NativeError, suite.Unknown, OSError) as error:
        raise fail(str(error)) from None
    except ValueError:
        raise fail(f"--threads takes numbers with commas between, not {threads!r}") from None
    for word in plan.missing:
        warn(word)
    how = Conditions(sizes, processors, rounds or (3 if quick else 10), samples or (15 if quick else 50), delay_ns)
    with writer, bar() as progress:
        task = progress.add_task("starting")
        measuring = Measuring(plan.series, how, writer, lambda d, n: progress.update(task, description=d, advance=n))
        progress.update(task, total=measuring.steps())
        measuring.run(host)
    for complaint in dict.fromkeys(measuring.complaints):
        warn(complaint)
    show(records.read([output])[0])
    if measuring.interrupted:
        out.print("Stopped by hand; what was measured until then is kept.")
    out.print(f"Records: {output}")
    if measuring.interrupted:
        raise typer.Exit(130)


def show(rows: list[Row]) -> None:
    found = constructs(rows)
    for place in dict.fromkeys((c.members, c.processors, c.language) for c in found):
        out.print(_table([c for c in found if (c.members, c.processors, c.language) == place]))


def _table(found: list[Construct]) -> Table:
    first = found[0]
    names = sorted({cost.runtime for c in found for cost in c.costs})
    title = f"{first.language}, {first.members} threads on {first.processors} processors: overhead of one directive"
    table = Table(title=title, title_justify="left")
    table.add_column("construct")
    for name in names:
        table.add_column(name, justify="right")
    table.add_column("best", justify="right")
    for c in found:
        by_name = {cost.runtime: cost for cost in c.costs}
        cells = []
        for name in names:
            cost = by_name.get(name)
            cells.append(cell(cost))
        table.add_row(c.name, *cells, verdict(c))
    return table
