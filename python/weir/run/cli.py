"""`weir run -- program`, `weir run --check program`, `weir run --mpi -- mpirun program`, each with --compare."""

import os
import shlex
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.markup import escape

from weir.base import exports, native, options
from weir.base.console import OF_PROGRAMS, Command, bar, err, fail, given, out, refuse_others, warn
from weir.base.options import option
from weir.base.others import measured
from weir.openmp.runtimes import Stage
from weir.openmp.situation import LEAST_QUOTA, MOST_QUOTA, Unavailable
from weir.run import launching, rows, sides, starting, tables
from weir.run.elf import NotElf
from weir.run.exporting import Session
from weir.run.measuring import Comparing, Conditions
from weir.run.needs import Needs, needs
from weir.run.runner import Stopped
from weir.run.sides import Sides
from weir.run.starting import KINDS, LIBRARY, MACHINE, PROCESSORS, THREADS, USABLE, CannotRun

MOST_PROCESSORS = 65_536
MOST_WEIGHT = 100
MOST_TIMES, MOST_TEAM, MOST_BESIDE, MOST_COPIES = 1_000, 65_534, 1_024, 1_024


class Kinds(options.OneOf):
    """Kinds of threads. Who gives a number means the team's size."""

    def read(self, text: str) -> str:
        if options.WHOLE.fullmatch(text):
            raise ValueError(f"a team's size is --team {text}")
        return super().read(text)


class Heard(options.Kind):
    """How many processors a program hears of."""

    metavar = f"{USABLE}|{MACHINE}|N"
    takes = f"{USABLE}, {MACHINE} or a number of processors from 1 to {MOST_PROCESSORS:,}"
    right = (USABLE, MACHINE, "1", str(MOST_PROCESSORS))
    wrong = (USABLE.upper(), f"{USABLE},{MACHINE}", "0", "-2", "1.5", "0x10", str(MOST_PROCESSORS + 1))

    def read(self, text: str) -> str:
        return text if text in (USABLE, MACHINE) else str(options.Whole(1, MOST_PROCESSORS).read(text))


def run(
    context: typer.Context,
    barrier: Annotated[
        str | None,
        option(options.Text("a barrier's name"), help="The barrier to use, such as mcs."),
    ] = None,
    deadlocks: Annotated[
        str | None,
        option(options.OneOf("report", "end"), help="Report where each thread waits, if all of a team wait."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="At its end, say on how many processors its regions computed, and why."),
    ] = False,
    share: Annotated[
        bool, typer.Option("--share", help="Divide the node's processors with the other programs that are run so.")
    ] = False,
    weight: Annotated[
        int | None,
        option(options.Whole(1, MOST_WEIGHT), help="With --share: its share is so many times that of a program of 1."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only list the OpenMP functions that it needs.")] = False,
    mpi: Annotated[
        bool, typer.Option("--mpi", help="Run an MPI program by its launcher: only MPI_Barrier becomes Weir's.")
    ] = False,
    pthread: Annotated[
        bool, typer.Option("--pthread", help="Run any program: only its pthread_barrier_t become Weir's.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Run it on its own runtime and on Weir's, alternately, and compare times.")
    ] = False,
    times: Annotated[
        int | None,
        option(options.Whole(1, MOST_TIMES), help="With --compare: runs on each (6 to 40, as fit in a minute)."),
    ] = None,
    threads: Annotated[
        str | None,
        option(
            Kinds(*KINDS),
            help="What members are: kernel threads, user-level, by the team's size, and threads of the program once "
            "some of them poll (auto), or the same, and all threads of the program where there are many (all).",
        ),
    ] = None,
    processors: Annotated[
        str | None,
        option(
            Heard(),
            help="How many processors the program hears of: those it can use (auto), the machine's, or N of them.",
        ),
    ] = None,
    against: Annotated[
        options.Names | None,
        option(
            options.names("own, kinds of threads (kernel, user, auto, all) and runtimes (libgomp, libomp, ...)"),
            help="With --compare: compare Weir's runtime with these (own).",
        ),
    ] = None,
    team: Annotated[
        int | None, option(options.Whole(1, MOST_TEAM), help="With --compare: OMP_NUM_THREADS for all.")
    ] = None,
    quota: Annotated[
        float | None,
        option(
            options.Real(LEAST_QUOTA, MOST_QUOTA, "processors"),
            help="With --compare: a CPU quota of so many processors, as in containers (needs root).",
        ),
    ] = None,
    beside: Annotated[
        int | None, option(options.Whole(1, MOST_BESIDE), help="With --compare: run beside so many busy processes.")
    ] = None,
    copies: Annotated[
        int | None,
        option(options.Whole(1, MOST_COPIES), help="With --compare: a run is so many of the program at the same time."),
    ] = None,
    export: Annotated[
        list[Path] | None,
        option(
            options.OutputFile(*exports.SUFFIXES),
            "--export",
            help="With --compare: write the result, as the name's ending says: all runs (.json, .jsonl, .csv), the "
            "tables (.md), a page (.html). May be repeated.",
        ),
    ] = None,
) -> None:
    """Run an OpenMP program, unchanged, on Weir's runtime: weir run -- PROGRAM [ARGUMENTS].

    Or an MPI program with Weir's barrier: weir run --mpi -- mpirun -n 4 PROGRAM [ARGUMENTS].

    Or a program with thread pools of any library: weir run --threads all -- PROGRAM [ARGUMENTS].

    Or a program whose pthread barriers become Weir's: weir run --pthread -- PROGRAM [ARGUMENTS].

    Does the program gain? weir run --compare -- PROGRAM [ARGUMENTS]
    """
    try:
        if deadlocks is not None and (compare or mpi or check):
            raise CannotRun("run: --deadlocks does not go with --compare, --mpi or --check")
        if explain and (compare or mpi or check):
            raise CannotRun("run: --explain does not go with --compare, --mpi or --check")
        if share and (compare or mpi or check):
            raise CannotRun("run: --share does not go with --compare, --mpi or --check")
        if weight is not None and not share:
            raise CannotRun("run: --weight goes with --share only")
        for name in ("threads", "against", "processors"):
            if mpi and name in given(context):
                raise CannotRun(f"run: --{name} is about OpenMP's runtime: it does not go with --mpi")
        if compare:
            if pthread:
                raise CannotRun("run: --pthread does not go with --compare")
            if check:
                raise CannotRun("run: --check does not run the program: it does not go with --compare")
            where = Conditions(team, quota, beside or 0, copies or 1)
            exports.ready(export or ())
            with closing(Stage()) as stage:
                if mpi:
                    compared(sides.launched(context.args, barrier), times, where, export or ())
                compared_sides = sides.preloaded(context.args, barrier, threads, against or (), stage, processors)
                compared(compared_sides, times, where, export or ())
        for name in ("times", "against", "team", "quota", "beside", "copies", "export"):
            if name in given(context):
                raise CannotRun(f"run: --{name} goes with --compare only")
        if pthread:
            refuse_others(context, {"pthread"}, "--pthread")
            program = starting.program(context.args)
            starting.examine(program)
            os.execve(program, context.args, starting.before_pthread())
        if mpi:
            launch(context.args, barrier, check)
        program, runtime = starting.program(context.args, only_read=check), starting.library()
        file = starting.examine(program)
        if check:
            if file is None:
                watch = f"weir doctor -- {shlex.join(context.args)}"
                raise CannotRun(f"{program} is a script: check the program that it starts, or watch it: {watch}")
            show(needs(program, runtime), program, context.args)
        asked = {"WEIR_BARRIER": barrier and sides.known(barrier), "WEIR_DEADLOCKS": deadlocks, THREADS: threads}
        asked |= {PROCESSORS: processors, "WEIR_EXPLAIN": "true" if explain else None}
        asked |= {"WEIR_SHARE": "node" if share else None, "WEIR_WEIGHT": weight and str(weight)}
        environment = starting.environment(runtime, {name: value for name, value in asked.items() if value is not None})
        if file is None:
            warn(f"{program} is a script: what it starts runs on {LIBRARY}")
        os.execve(program, context.args, environment)
    except CannotRun as error:
        raise fail(str(error), error.status) from None
    except NotElf as error:  # the program has been examined
        raise fail(f"{LIBRARY} {error}") from None
    except OSError as error:  # of execve: also where a script's interpreter is not there
        status = starting.NOT_THERE if isinstance(error, FileNotFoundError) else starting.NOT_EXECUTABLE
        raise fail(f"{error.filename or context.args[0]}: {error.strerror}", status) from None


def launch(words: list[str], barrier: str | None, check: bool) -> NoReturn:
    if check:
        raise CannotRun("--check is about OpenMP: it does not go with --mpi")
    if not words:
        raise CannotRun("which program? weir run --mpi -- mpirun -n 4 PROGRAM [ARGUMENTS]")
    if any(word.startswith("LD_PRELOAD=") for word in words):
        warn("LD_PRELOAD=... in the launcher's words takes the place of Weir's: set it before weir run instead")
    launcher = starting.program(words)
    environment = launching.environment(barrier and sides.known(barrier, launching.BARRIERS))
    os.execve(launcher, launching.words(launcher, words, environment), environment)


def compared(sides: Sides, times: int | None, where: Conditions, export: Sequence[Path]) -> NoReturn:
    """Exit status 0 if all have been compared, 1 if runs failed, 130 after Ctrl-C."""
    now = datetime.now(UTC)
    try:
        for complaint in sides.complaints:
            warn(complaint)
        with bar() as progress, Comparing(sides.all, where, times) as comparing:
            task = progress.add_task("starting", total=None)
            comparing.tell = lambda doing, done, of: progress.update(task, description=doing, completed=done, total=of)
            with measured() as meanwhile:
                comparing.run()
            progress.stop()
            name = now.strftime("%Y%m%dT%H%M%SZ") + "-compare"
            begun = now.isoformat(timespec="seconds")
            load = meanwhile.rows(name)
            session = Session(name, begun, sides, where, rows.team(where), comparing.measured, comparing.kept, load)
            written = exported(session, export)  # before a second Ctrl-C can end us
            raise _told(session, written)
    except Stopped:
        raise typer.Exit(130) from None
    except (Unavailable, native.NativeError) as error:
        raise CannotRun(f"run: {error}") from None


def exported(session: Session, paths: Sequence[Path]) -> bool:
    """Whether all that was asked for is written."""
    if not paths:
        return True
    if not session.done.trials:
        warn(f"No run has ended: {', '.join(map(str, paths))} {'is' if len(paths) == 1 else 'are'} not written.")
        return True
    written, complaints = exports.write(session.export(rows.host()), paths)
    for path in written:
        err.print(f"wrote {escape(str(path))}", highlight=False, soft_wrap=True)
    for complaint in complaints:
        fail(complaint)
    return not complaints


def _told(session: Session, written: bool) -> typer.Exit:
    """To be raised: the result is on the screen."""
    sides, done, found = session.sides, session.done, session.found
    for one in found:
        if one.trials:
            out.print(tables.table(one, session.where.words()))
            for line in tables.outputs(one):
                out.print(escape(line), highlight=False, soft_wrap=True)
    if done.interrupted:
        out.print("Interrupted; what was measured until then is shown.")
    for side in sides.all:
        for line in session.last_words(side):
            err.print(f"[yellow]{side.title}:[/] {escape(line)}", highlight=False)
    for note in session.notes():
        warn(note)
    for one in found:
        out.print(f"[bold]{escape(one.sentence())}[/]", highlight=False, soft_wrap=True)
    if done.interrupted:
        return typer.Exit(130)
    return typer.Exit(0 if written and all(one.compared for one in found) else 1)


def show(seen: Needs, program: Path, words: list[str]) -> None:
    """Exit status 0 if nothing is missing, else 1."""
    for name in seen.lost:
        warn(f"{name} was not found: what it needs is not in the list")
    if not seen.found:
        out.print(f"{escape(str(program))} and its {len(seen.files) - 1} libraries need nothing of OpenMP. "
                  "What they open while they run is not seen here: "
                  f"weir doctor -- {escape(shlex.join(words))}", highlight=False, soft_wrap=True)  # fmt: skip
        out.print(tables.calls(), highlight=False, soft_wrap=True)
        raise typer.Exit(0)
    # Names stay whole where they go into a pipe.
    out.print(tables.needs(seen), width=max(out.width, 110), crop=False)
    if not seen.missing:
        out.print(f"All is there: weir run -- {escape(str(program))}", highlight=False, soft_wrap=True)
        out.print(tables.calls(), highlight=False, soft_wrap=True)
        raise typer.Exit(0)
    for sentence in tables.lacks(seen):
        out.print(escape(sentence), highlight=False, soft_wrap=True)
    raise typer.Exit(1)


COMMAND = Command("run", run, OF_PROGRAMS)
