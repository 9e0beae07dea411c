"""`weir advise -- program`."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from weir.advising import measuring, rows, tables, telling
from weir.advising.measuring import PROCESSORS, CannotAdvise, Counted, Measuring
from weir.advising.plan import Try, plan, plan_of_team
from weir.advising.results import sessions
from weir.advising.staircase import Staircase
from weir.advising.ways import Ways, ways
from weir.base import options, records
from weir.base.console import OF_PROGRAMS, Command, bar, end, fail, nothing, out, tell_load, warn
from weir.base.options import option
from weir.base.others import watched
from weir.base.screen import shown
from weir.openmp.runtimes import Stage
from weir.profile.counting import NoProgram
from weir.run.rows import host
from weir.run.runner import Stopped
from weir.run.starting import CannotRun

LEAST_S = 1.0


def advise(
    context: typer.Context,
    seconds: Annotated[
        float,
        option(options.Real(LEAST_S, options.MOST_SECONDS, "seconds"), help="How long to measure at most."),
    ] = 60.0,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/advise.jsonl"),
) -> None:
    """How many threads and processors can a program use, and what should be set? weir advise -- PROGRAM [ARGUMENTS]."""
    try:
        with closing(Stage()) as stage, records.Writer(output) as writer:
            interrupted = _measured(ways(context.args, stage), seconds, writer)
    except (CannotAdvise, CannotRun, NoProgram) as error:
        raise fail(f"advise: {error}") from None
    found = sessions(writer.rows)
    if not writer.begun or not found:
        raise nothing(output, interrupted)
    (its,) = found
    tell_load(writer.rows)
    for sentence in telling.sentences(its):
        out.print(sentence, markup=False, highlight=False, soft_wrap=True)
    for table in tables.all_of(its):
        out.print(shown(table, range(len(table.heads))))
    for note in telling.notes(its):
        warn(note)
    end(output, output.with_suffix(".html"), interrupted)


def _measured(its: Ways, seconds: float, writer: records.Writer) -> bool:
    """Whether Ctrl-C ended it. Raises CannotAdvise, CannotRun and NoProgram."""
    now = datetime.now(UTC)
    session = now.strftime("%Y%m%dT%H%M%SZ") + "-advise"
    with watched(writer), bar() as progress, Measuring(seconds) as work:
        task = progress.add_task("starting", total=seconds)
        work.tell = lambda doing, gone: progress.update(task, description=doing, completed=min(gone, seconds))
        try:
            counted = work.count(its.own)
            steps, trace = _traced(work, its, counted)
        except Stopped:
            return True
        its = its.on(counted.runtime)
        quota = measuring.no_quota()
        notes = [*its.notes, *([f"no quota was tried: {quota}"] if quota else []), *([trace] if trace else [])]
        begun = now.isoformat(timespec="seconds")
        writer.write(rows.machine(session, begun, its.own.words, counted, steps, notes, len(PROCESSORS), host()))
        work.run(_plan(its, counted, not quota), lambda done: writer.write(rows.run(session, done)))
        return work.interrupted


def _traced(work: Measuring, its: Ways, counted: Counted) -> tuple[Staircase | None, str]:
    """Or why there is none. Raises Stopped."""
    if counted.team is None:
        return None, ""
    try:
        return work.trace(its.own), ""
    except NoProgram as error:
        return None, f"no trace: {error}"


def _plan(its: Ways, counted: Counted, quota: bool) -> list[Try]:
    most = len(PROCESSORS)
    if counted.obeys and its.all:
        return plan(its.all, most, quota)
    sides = [its.own, *([its.on_weir] if its.on_weir and counted.team else [])]
    return plan_of_team(sides, counted.team, most)


COMMAND = Command("advise", advise, OF_PROGRAMS)
