"""`weir bench threads`."""

from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, records
from weir.base.console import Command, bar, fail, nothing, show_session, warn
from weir.base.options import option
from weir.base.others import watched
from weir.base.states import in_words
from weir.threads import tables
from weir.threads.experiments import EXPERIMENTS, chosen
from weir.threads.measuring import Plan, Session, Tell

NAMES = [one.name for one in EXPERIMENTS]
LEAST_PROCESSORS, MOST_PROCESSORS = 2, 64


def threads(
    only: Annotated[
        options.Names | None,
        option(options.names("experiments", NAMES), "--experiments", help=f"Only these: {','.join(NAMES)}."),
    ] = None,
    processors: Annotated[
        int | None,
        option(options.Whole(LEAST_PROCESSORS, MOST_PROCESSORS), help="Processors to use (all, up to 16)."),
    ] = None,
    rounds: Annotated[
        int | None, option(options.Whole(1, options.MOST_ROUNDS), help="Runs, in fresh processes (2; quick 1).")
    ] = None,
    samples: Annotated[
        int | None,
        option(options.Whole(1, options.MOST_SAMPLES), help="Measurements of each program in a run (2 to 10)."),
    ] = None,
    seconds: Annotated[
        float | None,
        option(
            options.Real(1, options.MOST_SECONDS, "s"), help="Measure no longer, in equal parts for all experiments."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few points, one run: half a minute.")] = False,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/threads.jsonl"),
) -> None:
    """Run the experiments of Markatos et al. 1991: more user-level and kernel threads than
    processors, beside the simulator and the formulas.

    Records hold nanoseconds. Charts have computing and barriers in quanta or context switches of each kind of thread,
    overhead and efficiency in percent.
    """
    try:
        host = native.ask("weir-info")
        usable = host["affinity"]
        count = processors or min(len(usable), 16)
        if not LEAST_PROCESSORS <= count <= len(usable):
            raise fail(f"bench threads: needs {max(count, LEAST_PROCESSORS)} processors, and may use {len(usable)}")
        writer = records.Writer(output)
    except (native.NativeError, OSError) as error:
        raise fail(str(error)) from None
    plan = Plan(chosen(only or NAMES), usable[:count], rounds or (1 if quick else 2), samples, quick, seconds)
    with writer, watched(writer), bar() as progress:

        def begin(name: str, steps: int) -> Tell:
            task = progress.add_task(name, total=steps)
            return lambda doing, n: progress.update(task, description=doing, advance=n)

        session = Session(plan, writer, begin)
        try:
            session.run(host)
        except native.NativeError as error:
            raise fail(str(error)) from None
    for complaint in session.complaints:
        warn(complaint)
    if not writer.begun:
        raise nothing(output, session.interrupted)
    show_session(writer.rows, tables.for_terminal(writer.rows), output, session.interrupted, in_words(writer.rows))


COMMAND = Command("bench threads", threads)
