"""`weir bench`."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from weir.barriers import custom
from weir.barriers import plan as planning
from weir.barriers.comparison import Comparison, figures, places
from weir.barriers.measuring import Bench
from weir.barriers.tables import ranking
from weir.base import driver, native, options, records
from weir.base.console import (
    Command,
    bar,
    end,
    err,
    fail,
    given,
    nothing,
    nothing_measured,
    out,
    tell_load,
    tell_states,
    warn,
)
from weir.base.names import Unknown
from weir.base.options import option
from weir.base.others import watched
from weir.base.states import in_words

app = typer.Typer(invoke_without_command=True, help="Measure barriers, OpenMP's constructs, or barriers over MPI.")


@app.callback()
def bench(
    context: typer.Context,
    members: Annotated[
        options.Numbers | None,
        option(options.numbers(1, options.MOST_MEMBERS), help="Team sizes, such as 2,4,8 (up to 16 a processor)."),
    ] = None,
    algorithms: Annotated[
        options.Names | None, option(options.names("barriers"), help="Only these barriers, such as sense,mcs.")
    ] = None,
    waiting: Annotated[
        options.Names | None, option(options.names("waiting policies"), help="Only these policies, such as auto,spin.")
    ] = None,
    peers: Annotated[bool, typer.Option(help="Measure the barriers of other libraries as well.")] = True,
    rounds: Annotated[
        int | None,
        option(options.Whole(1, options.MOST_ROUNDS), help="Runs, each in fresh processes (10; quick 3)."),
    ] = None,
    samples: Annotated[
        int | None, option(options.Whole(3, options.MOST_SAMPLES), help="Measurements in a run (50; quick 30).")
    ] = None,
    delay_ns: Annotated[
        float | None,
        option(options.Real(0, options.MOST_DELAY_NS, "ns"), help="Work between barriers (100; shared 1000)."),
    ] = None,
    pinned: Annotated[
        bool, typer.Option("--pinned/--unpinned", help="Bind threads to processors, round-robin.")
    ] = True,
    load: Annotated[
        str, option(options.OneOf("none", "busy"), help="busy: run another process on each processor.")
    ] = "none",
    quick: Annotated[bool, typer.Option("--quick", help="A short session of two to three minutes.")] = False,
    seconds: Annotated[
        float | None, option(options.Real(1, options.MOST_SECONDS, "s"), help="Start no run after this many seconds.")
    ] = None,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/records.jsonl"),
    files: Annotated[
        list[Path] | None,
        option(
            custom.File(), "--mine", help="Your own barrier: a C or C++ file, or a shared library. May be repeated."
        ),
    ] = None,
) -> None:
    """Measure every barrier, also those of other libraries, in one session. Or: weir bench openmp, mpi."""
    if (to := context.invoked_subcommand) is not None:
        for lost in given(context).values():
            raise fail(f"bench: {lost} before {to} would have no effect: put it after {to}")
        return
    try:
        host = native.ask("weir-info")
        found, missing = driver.subjects()
        found += driver.by_levels(algorithms or ())
        asked = {
            "algorithms": algorithms, "waiting": waiting, "peers": peers, "quick": quick, "load": load,
            "members": members, "rounds": rounds, "samples": samples, "pinned": pinned, "delay_ns": delay_ns,
        }  # fmt: skip
        # The compiled libraries are there until the command ends.
        found += context.with_resource(custom.prepared(files or []))
        plan = planning.plan(found, host["affinity"], asked)
        writer = records.Writer(output)
    except custom.Unusable as error:
        err.print(error.details, end="", markup=False, highlight=False, soft_wrap=True)
        raise fail(f"bench: --mine: {error}") from None
    except (native.NativeError, Unknown, OSError) as error:
        raise fail(str(error)) from None
    for word in missing:
        warn(word)

    with writer, watched(writer), bar() as progress:
        task = progress.add_task("starting", total=plan.steps())
        left_out = custom.checked(plan, lambda doing: progress.update(task, description=doing))
        for one in left_out:
            warn(f"{one.why}: it is left out")
        progress.update(task, total=plan.steps())
        measuring = Bench(plan, writer, lambda p: progress.update(task, description=p.doing, advance=p.steps), left_out)
        measuring.run(host, time.monotonic() + seconds if seconds is not None else None)
    for complaint in measuring.complaints:
        warn(complaint)
    if measuring.ended_before is not None:
        warn(f"the time given is spent: run {measuring.ended_before} and later are left out")

    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    tell_load(writer.rows)
    all_figures = figures(writer.rows)
    for place in places(all_figures) + places(all_figures, "busy"):
        compared = Comparison(all_figures, place)
        out.print(ranking(compared))
        for line in custom.against_default(compared):
            out.print(escape(line), highlight=False, soft_wrap=True)
    tell_states(in_words(writer.rows))
    end(output, output.with_name("report.html"), measuring.interrupted)
    if all(row["kind"] != "overhead" or row["what"]["family"] == "floor" for row in writer.rows):
        raise nothing_measured()
    if left_out:
        raise fail(f"{', '.join(one.subject.algorithm for one in left_out)}: not measured, as said above", status=1)


COMMAND = Command("bench", app)
