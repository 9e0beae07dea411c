"""`weir scale`."""

from pathlib import Path
from typing import Annotated

import typer

from weir import native, records
from weir.console import bar, fail, names, nothing, numbers, out, warn
from weir.mpi import clusters as known
from weir.mpi import scale as scaling
from weir.mpi.scale_rows import as_table, ranked, row, write_csv
from weir.outputs import prepare, writing
from weir.screen import shown

MOST_SHOWN = 6


def _plan(clusters: str, ranks: str, per_node: str, algorithms: str | None) -> list[scaling.Run]:
    try:
        found = [known.find(name) for name in names(clusters) or []]
        native.require("weir-mpi-scale")
    except (known.BadCluster, native.NativeError, OSError) as error:
        raise fail(str(error)) from None
    only = names(algorithms)
    if unknown := set(only or ()) - set(scaling.algorithms()):
        raise fail(f"no barrier is called {min(unknown)!r}; known are {', '.join(scaling.algorithms())}")
    plan = scaling.runs(found, numbers(ranks, "--ranks"), numbers(per_node, "--per-node"), only)
    if not plan:
        raise fail(f"nothing to run: --ranks {ranks} must fill at least two nodes of --per-node {per_node}")
    return plan


def scale(
    clusters: Annotated[
        str, typer.Option(help="Files, or names of those in machines/clusters.")
    ] = "omni-path-fat-tree,slingshot-dragonfly,taurus-ethernet,held-out-tcp",
    ranks: Annotated[str, typer.Option(help="How many processes in all.")] = "16,64,256,1024",
    per_node: Annotated[str, typer.Option("--per-node", help="How many on a node.")] = "1,16",
    algorithms: Annotated[str | None, typer.Option(help="Only these, such as auto,dissemination,ompi_bruck.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Simulations side by side (one for each processor).")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the records go.")] = Path("out/scale.jsonl"),
    table: Annotated[Path | None, typer.Option(help="Also a table, as CSV.")] = None,
    png: Annotated[Path | None, typer.Option(help="Also a chart, as PNG.")] = None,
) -> None:
    """Run barriers of up to 1,024 processes on clusters that are not here, and those of other MPIs."""
    plan = _plan(clusters, ranks, per_node, algorithms)
    if png is not None and png.suffix != ".png":
        raise fail(f"--png takes the name of a picture, which ends in .png, not {png}")
    failed = False
    for file in filter(None, (table, png)):
        prepare(file)
    with records.Writer(output) as writer, bar() as progress:
        task = progress.add_task("starting", total=len(plan))

        def tell(run: scaling.Run, outcome: scaling.Outcome | str) -> None:
            nonlocal failed
            writer.write(row(run, outcome))
            progress.update(task, description=f"{run.cluster.name}, {run.ranks} ranks", advance=1)
            if isinstance(outcome, str) or not outcome.kept:
                failed = True
                what = outcome if isinstance(outcome, str) else "somebody left before all had come"
                warn(f"{run.cluster.name}, {run.ranks} ranks, {run.barrier.name}: {what}")

        running = scaling.Scale(plan, tell)
        try:
            running.run(jobs)
        except (scaling.Refused, native.NativeError) as error:
            raise fail(str(error)) from None
    if not writer.begun:
        raise nothing(output, running.interrupted)
    _show(writer.rows)
    if table is not None:
        with writing(table):
            write_csv(writer.rows, table)
    if png is not None:
        from weir.mpi import scale_chart  # the drawing libraries take a second to load

        with writing(png):
            scale_chart.write(writer.rows, png)
    if running.interrupted:
        out.print("Stopped by hand; what was simulated until then is kept.")
    out.print(
        f"Records: {output}. For the page: weir report {output} -o {output.with_suffix('.html')}", highlight=False
    )
    if running.interrupted or failed:
        raise typer.Exit(130 if running.interrupted else 1)


def _show(rows: list[records.Row]) -> None:
    for one in map(as_table, ranked(rows)):
        out.print(shown(one, range(len(one.heads)), MOST_SHOWN))
