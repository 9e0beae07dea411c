"""`weir scale`."""

from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, records
from weir.base.complaints import Complaints
from weir.base.console import Command, bar, end, fail, nothing, out, warn
from weir.base.names import Unknown
from weir.base.options import option
from weir.base.outputs import prepare, writing
from weir.base.screen import shown
from weir.scale import measuring as scaling
from weir.scale.clusters import BadCluster
from weir.scale.tables import BROKEN, as_table, ranked, row, write_csv

MOST_SHOWN = 6


def scale(
    clusters: Annotated[
        options.Names, option(options.names("clusters"), help="Cluster files, or names of files in machines/clusters.")
    ] = "omni-path-fat-tree,slingshot-dragonfly,taurus-ethernet,held-out-tcp",
    ranks: Annotated[
        options.Numbers, option(options.numbers(2, scaling.MOST_RANKS), help="Total numbers of processes.")
    ] = "16,64,256,1024",
    per_node: Annotated[
        options.Numbers, option(options.numbers(1, scaling.MOST_RANKS), "--per-node", help="Processes on each node.")
    ] = "1,16",
    algorithms: Annotated[
        options.Names | None,
        option(options.names("barriers"), help="Only these barriers, such as auto,ompi_bruck."),
    ] = None,
    jobs: options.Jobs = None,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/scale.jsonl"),
    table: Annotated[Path | None, option(options.OutputFile(".csv"), help="Also write a table as CSV.")] = None,
    png: Annotated[Path | None, option(options.OutputFile(".png"), help="Also write a chart as PNG.")] = None,
) -> None:
    """Simulate barriers of up to 4,096 processes on other clusters: Weir's barriers, and those of other MPIs."""
    try:
        plan = scaling.planned(clusters, ranks, per_node, algorithms)
    except (BadCluster, OSError) as error:
        raise fail(f"scale: --clusters: {error}") from None
    except (Unknown, native.NativeError) as error:
        raise fail(str(error)) from None
    failed = Complaints()
    for file in filter(None, (table, png)):
        prepare(file)
    with records.Writer(output) as writer, bar() as progress:
        task = progress.add_task("starting", total=len(plan))

        def tell(run: scaling.Run, outcome: scaling.Outcome | str) -> None:
            writer.write(row(run, outcome))
            progress.update(task, description=f"{run.cluster.name}, {run.ranks} ranks", advance=1)
            if isinstance(outcome, str) or not outcome.kept:
                what = outcome if isinstance(outcome, str) else BROKEN
                failed.add(what, f"{run.cluster.name}, {run.ranks} ranks, {run.barrier.name}")

        running = scaling.Scale(plan, tell)
        try:
            running.run(jobs)
        except (scaling.Refused, native.NativeError) as error:
            raise fail(str(error)) from None
    for complaint in failed:
        warn(complaint)
    if not writer.begun:
        raise nothing(output, running.interrupted)
    _show(writer.rows)
    if table is not None:
        with writing(table):
            write_csv(writer.rows, table)
    if png is not None:
        from weir.scale import charts as scale_chart  # the drawing libraries take a second to load

        with writing(png):
            drawn = scale_chart.write(writer.rows, png)
        if not drawn:
            warn(f"{png} is not written: ranks of one size make no line")
    end(output, output.with_suffix(".html"), running.interrupted, "simulated", highlight=False)
    if failed:
        raise typer.Exit(1)


def _show(rows: list[records.Row]) -> None:
    for one in map(as_table, ranked(rows)):
        out.print(shown(one, range(len(one.heads)), MOST_SHOWN))


COMMAND = Command("scale", scale)
