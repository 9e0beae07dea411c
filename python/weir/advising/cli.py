"""`weir advise -- program`."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from weir.advising import measuring, rows, tables, telling
from weir.advising.measuring import PROCESSORS, CannotAdvise, Counted, Measuring
from weir.advising.plan import Try, plan, plan_of_team
from weir.advising.results import Session, sessions
from weir.advising.staircase import Staircase
from weir.advising.ways import Ways, ways
from weir.base import options, records
from weir.base.console import OF_PROGRAMS, Command, bar, end, fail, nothing, out, tell_load, warn
from weir.base.options import option
from weir.base.others import watched
from weir.base.outputs import prepare
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
    prepare(output)
    try:
        with closing(Stage()) as stage:
            tried = ways(context.args, stage)
            with bar() as progress, Measuring(seconds) as work:
                task = progress.add_task("starting", total=seconds)
                work.tell = lambda doing, gone: progress.update(task, description=doing, completed=min(gone, seconds))
                measured = _measured(tried, work, output)
    except (CannotAdvise, CannotRun, NoProgram) as error:
        raise fail(f"advise: {error}") from None
    except Stopped:
        raise nothing(output, interrupted=True) from None
    if not (found := sessions(measured)):
        raise nothing(output, work.interrupted)
    tell_load(measured)
    for one in found:
        _tell(one)
    end(output, output.with_suffix(".html"), work.interrupted)


def _tell(session: Session) -> None:
    for sentence in telling.sentences(session):
        out.print(sentence, markup=False, highlight=False, soft_wrap=True)
    for table in tables.all_of(session):
        out.print(shown(table, range(len(table.heads))))
    for note in telling.notes(session):
        warn(note)
    if said := telling.of_trace(session):
        out.print(said, markup=False, highlight=False, soft_wrap=True)


def _measured(ways: Ways, work: Measuring, output: Path) -> list[records.Row]:
    """What was written. Raises CannotAdvise, CannotRun and NoProgram; and Stopped before anything is."""
    now = datetime.now(UTC)
    session = now.strftime("%Y%m%dT%H%M%SZ") + "-advise"
    counted = work.count(ways.own)
    ways = ways.on(counted.runtime)
    trace, why = _traced(work, ways, counted)
    quota = measuring.no_quota()
    notes = [*ways.notes, *([f"no quota was tried: {quota}"] if quota else []), *([why] if why else [])]
    with records.Writer(output) as writer, watched(writer):
        begun = now.isoformat(timespec="seconds")
        writer.write(rows.machine(session, begun, ways.own.words, counted, trace, notes, len(PROCESSORS), host()))
        work.run(_plan(ways, counted, not quota), lambda done: writer.write(rows.run(session, done)))
    return writer.rows


def _traced(work: Measuring, ways: Ways, counted: Counted) -> tuple[Staircase | None, str]:
    """Or why there is none. Raises Stopped."""
    if counted.team is None:
        return None, ""
    try:
        return work.trace(ways.own), ""
    except NoProgram as error:
        return None, f"no trace: {error}"


def _plan(ways: Ways, counted: Counted, quota: bool) -> list[Try]:
    most = len(PROCESSORS)
    if counted.obeys and ways.all:
        return plan(ways.all, most, quota)
    sides = [ways.own, *([ways.on_weir] if ways.on_weir and counted.team else [])]
    return plan_of_team(sides, counted.team, most)


COMMAND = Command("advise", advise, OF_PROGRAMS)
