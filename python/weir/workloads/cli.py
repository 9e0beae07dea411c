"""`weir bench workloads`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, records
from weir.base.console import Command, bar, fail, nothing, show_session, warn
from weir.base.names import Unknown
from weir.base.names import chosen as known
from weir.base.options import option
from weir.base.others import watched
from weir.run.sides import of_machine
from weir.run.starting import CannotRun
from weir.workloads import programs, tables
from weir.workloads.measuring import Compared, Plan, Session
from weir.workloads.rows import ANY, AUTO, BEST, HAND, KERNEL, OWN
from weir.workloads.situations import FOR_POOLS, GROUPS, NAMES, QUICK, named

MOST_THREADS = 1024
# Those of table 3 of Nanjegowda et al. 2009, by Weir's names; condvar is its blocking one, sense its central one.
BARRIERS = ("condvar", "sense", "dissemination", "tree", "tournament")
NO_BARRIERS = "none"
QUICK_BARRIERS = ("sense", "dissemination")
SECONDS, QUICK_SECONDS = 600.0, 110.0
ON_POOLS = (OWN, ANY, HAND)  # programs whose threads are not OpenMP's


def workloads(
    only: Annotated[
        options.Names | None,
        option(
            options.names("programs"),
            "--programs",
            help="Only these, or groups: gcc, clang, others, processes, pools (gcc,others,processes).",
        ),
    ] = None,
    threads: Annotated[
        options.Numbers | None,
        option(
            options.numbers(1, MOST_THREADS), help="Team sizes (as many as processors, twice and four times as many)."
        ),
    ] = None,
    where: Annotated[
        options.Names | None,
        option(
            options.names("situations", (*NAMES, *GROUPS)),
            "--situations",
            help=f"Only these: {','.join(NAMES)}; {','.join(GROUPS)}: all of that name. "
            f"Programs of the group pools: {','.join(FOR_POOLS)}.",
        ),
    ] = None,
    on: Annotated[
        options.Names | None,
        option(
            options.names(
                "own, Weir's kinds of threads (kernel, user, auto), runtimes (libgomp, libomp, ...), hand: the "
                "program as it is, with other numbers of threads, and best: auto and all that could be fixed instead"
            ),
            "--runtimes",
            help=f"What to compare (own,kernel,auto; beside busy processes also libomp; pools: {','.join(ON_POOLS)}).",
        ),
    ] = None,
    by: Annotated[
        options.Names | None,
        option(
            options.names("barriers"),
            "--barriers",
            help=f"Barriers beside the default, or none ({','.join(BARRIERS)}).",
        ),
    ] = None,
    rounds: Annotated[
        int | None, option(options.Whole(1, options.MOST_ROUNDS), help="Rounds, in each of which each runs once (6).")
    ] = None,
    seconds: Annotated[
        float | None,
        option(
            options.Real(1, options.MOST_SECONDS, "s"),
            help=f"Begin no round's run later ({SECONDS:g}; quick {QUICK_SECONDS:g}).",
        ),
    ] = None,
    shares: Annotated[
        bool | None,
        typer.Option("--shares/--no-shares", help="Also count and price what programs synchronise (quick: not)."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few programs and barriers: under two minutes.")] = False,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/workloads.jsonl"),
) -> None:
    """Run whole programs on their own OpenMP runtime and on Weir's: alone, with more threads than processors, several
    at once, under a CPU quota, called from several threads of Python, and beside busy processes."""
    processors = len(os.sched_getaffinity(0))
    try:
        host = native.ask("weir-info")
        barriers = [name for name in by or (QUICK_BARRIERS if quick else BARRIERS) if name != NO_BARRIERS]
        if by and barriers:
            known(barriers, native.barriers(), "bench workloads: --barriers", "barrier")
        on = [*on, *(name for name in (KERNEL, AUTO) if name not in on)] if on and BEST in on else on
        of_machine([name for name in on or () if name not in (HAND, BEST)], "bench workloads: --runtimes")
        plan = Plan(
            programs.chosen(only, quick),
            named(where or (QUICK if quick else NAMES)),
            threads,
            processors,
            on or (OWN, KERNEL, AUTO),
            barriers,
            rounds or 6,
            seconds or (QUICK_SECONDS if quick else SECONDS),
            not quick if shares is None else shares,
            peers=on is None,
            pools=Compared(named(where or FOR_POOLS), on or ON_POOLS),
        )
        writer = records.Writer(output)
    except (native.NativeError, Unknown, CannotRun, OSError) as error:
        raise fail(str(error)) from None
    with writer, watched(writer), bar() as progress:
        task = progress.add_task("starting", total=None)
        session = Session(
            plan, writer, lambda doing, done, of: progress.update(task, description=doing, completed=done, total=of)
        )
        try:
            session.run(host)
        except (native.NativeError, CannotRun) as error:
            raise fail(str(error)) from None
    for complaint in session.complaints:
        warn(complaint)
    if not writer.begun:
        raise nothing(output, session.interrupted)
    show_session(writer.rows, tables.for_terminal(writer.rows), output, session.interrupted)


COMMAND = Command("bench workloads", workloads)
