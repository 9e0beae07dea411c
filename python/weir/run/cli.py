"""`weir run -- program`, `weir run --check program`, `weir run --mpi -- mpirun program`, each with --compare."""

import os
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.markup import escape
from rich.table import Table

from weir.base import native, options
from weir.base.console import OF_PROGRAMS, Command, bar, err, fail, given, out, warn
from weir.base.options import option, shortened
from weir.openmp.situation import LEAST_QUOTA, MOST_QUOTA, Unavailable
from weir.run import launching, measuring, starting, tables
from weir.run.comparison import Comparison
from weir.run.elf import NotElf
from weir.run.measuring import OWN, WEIR, Comparing, Conditions, Side
from weir.run.needs import Needs, needs
from weir.run.runner import Stopped
from weir.run.starting import LIBRARY, CannotRun

MOST_TIMES, MOST_THREADS, MOST_BESIDE = 1_000, 65_534, 1_024


def run(
    context: typer.Context,
    barrier: Annotated[
        str | None,
        option(options.Text("a barrier's name"), help="The teams' barrier, such as mcs, or the processes'."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Do not run it: list what it needs of OpenMP.")] = False,
    mpi: Annotated[
        bool, typer.Option("--mpi", help="An MPI program, by its launcher: MPI_Barrier alone becomes Weir's.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Run it on its own runtime and on Weir's, in turn: does it gain?")
    ] = False,
    times: Annotated[
        int | None,
        option(
            options.Whole(1, MOST_TIMES), help="With --compare: how many runs on each (what fits in a minute, 6 to 40)."
        ),
    ] = None,
    threads: Annotated[
        int | None, option(options.Whole(1, MOST_THREADS), help="With --compare: OMP_NUM_THREADS for both.")
    ] = None,
    quota: Annotated[
        float | None,
        option(
            options.Real(LEAST_QUOTA, MOST_QUOTA, "processors"),
            help="With --compare: a CPU quota of so many processors, as containers have (cgroups; as root).",
        ),
    ] = None,
    beside: Annotated[
        int | None, option(options.Whole(1, MOST_BESIDE), help="With --compare: beside so many busy processes.")
    ] = None,
) -> None:
    """Run an OpenMP program, unchanged, on Weir's runtime: weir run -- PROGRAM [ARGUMENTS].

    Or an MPI program with Weir's barrier: weir run --mpi -- mpirun -n 4 PROGRAM [ARGUMENTS].

    Does it gain? weir run --compare -- PROGRAM [ARGUMENTS]
    """
    try:
        if compare:
            if check:
                raise CannotRun("run: --check runs nothing: it does not go with --compare")
            against(context.args, barrier, mpi, times, Conditions(threads, quota, beside or 0))
        for name in ("times", "threads", "quota", "beside"):
            if name in given(context):
                raise CannotRun(f"run: --{name} goes with --compare only")
        if mpi:
            launch(context.args, barrier, check)
        program, runtime = starting.program(context.args, only_read=check), starting.library()
        file = starting.examine(program)
        if check:
            if file is None:
                raise CannotRun(f"{program} is a script: check the program that it starts")
            show(needs(program, runtime), program)
        options = {"WEIR_BARRIER": _known(barrier)} if barrier is not None else {}
        environment = starting.environment(runtime, options)
        if file is None:
            warn(f"{program} is a script: what it starts runs on {LIBRARY}")
        os.execve(program, context.args, environment)
    except CannotRun as error:
        raise fail(str(error)) from None
    except NotElf as error:
        raise fail(f"{runtime} {error}") from None
    except OSError as error:
        raise fail(f"{error.filename or context.args[0]}: {error.strerror}") from None


def launch(words: list[str], barrier: str | None, check: bool) -> NoReturn:
    """A wrong name for the barrier is told of by the library, which knows the names."""
    if check:
        raise CannotRun("--check says what a program needs of OpenMP: it does not go with --mpi")
    if not words:
        raise CannotRun("which program? weir run --mpi -- mpirun -n 4 PROGRAM [ARGUMENTS]")
    if any(word.startswith("LD_PRELOAD=") for word in words):
        warn("LD_PRELOAD=... in the launcher's words takes the place of Weir's: set it before weir run instead")
    launcher = starting.program(words)
    environment = launching.environment(barrier)
    os.execve(launcher, launching.words(launcher, words, environment), environment)


def against(words: list[str], barrier: str | None, mpi: bool, times: int | None, where: Conditions) -> NoReturn:
    """Ends with 0 where both have been compared, with 1 where runs failed, with 130 after Ctrl-C."""
    own, weir, called, own_name, instead = _launched(words, barrier) if mpi else _preloaded(words, barrier)
    try:
        with bar() as progress, Comparing(own, weir, where, times) as comparing:
            task = progress.add_task("starting", total=None)
            comparing.tell = lambda doing, done, of: progress.update(task, description=doing, completed=done, total=of)
            comparing.run()
            progress.stop()
            raise _told(Comparison(comparing.trials, comparing.kept, called, own_name, instead), where, comparing)
    except (Unavailable, native.NativeError) as error:
        raise CannotRun(f"run: {error}") from None


def _preloaded(words: list[str], barrier: str | None) -> tuple[Side, Side, str, str, str]:
    """Both sides, and what the program, its runtime and ours are called."""
    program, runtime = starting.program(words), starting.library()
    file = starting.examine(program)
    set_by_user = {"WEIR_BARRIER": _known(barrier)} if barrier is not None else {}
    changed = {n: v for n, v in starting.environment(runtime, set_by_user).items() if os.environ.get(n) != v}
    own, weir = Side(OWN, program, tuple(words), {}), Side(WEIR, program, tuple(words), changed)
    seen = needs(program, runtime) if file is not None else None
    if seen is not None and seen.missing:
        warn(f"{len(seen.missing)} functions that it needs are missing: weir run --check {program} lists them")
    try:
        uses_openmp = bool(seen and seen.found) or measuring.bound_to(weir, runtime)
    except Stopped:
        raise typer.Exit(130) from None
    if not uses_openmp:
        raise CannotRun(f"run: nothing to compare: {words[0]} was run, and it called no function of OpenMP")
    return own, weir, words[0], (seen.runtime if seen else None) or "its own runtime", "Weir's runtime"


def _launched(words: list[str], barrier: str | None) -> tuple[Side, Side, str, str, str]:
    if not words:
        raise CannotRun("which program? weir run --mpi --compare -- mpirun -n 4 PROGRAM [ARGUMENTS]")
    launcher = starting.program(words)
    environment = launching.environment(barrier)
    changed = {n: v for n, v in environment.items() if os.environ.get(n) != v}
    weir = Side(WEIR, launcher, tuple(launching.words(launcher, words, environment)), changed)
    return Side(OWN, launcher, tuple(words), {}), weir, "the program", "its MPI's own", "Weir's MPI_Barrier"


def _told(found: Comparison, where: Conditions, comparing: Comparing) -> typer.Exit:
    """To be raised, when all that was found is on the screen."""
    if found.trials:
        out.print(tables.table(found, where.words()))
        for line in tables.outputs(found):
            out.print(escape(line), highlight=False, soft_wrap=True)
    if comparing.interrupted:
        out.print("Interrupted; what was measured until then is shown.")
    for side in (OWN, WEIR):
        for line in found.last_words(side):
            err.print(f"[yellow]{found.own if side == OWN else found.instead}:[/] {escape(line)}", highlight=False)
    out.print(f"[bold]{escape(found.sentence())}[/]", highlight=False, soft_wrap=True)
    if comparing.interrupted:
        return typer.Exit(130)
    return typer.Exit(0 if found.compared else 1)


def _known(barrier: str) -> str:
    """A wrong name is told of before the program begins, where the barriers' names can be asked for."""
    if native.find("weir-info"):
        try:
            names = native.barriers()
        except native.NativeError:
            return barrier
        if barrier not in [*names, "auto"]:
            raise CannotRun(
                f"run: --barrier: no barrier is called {shortened(barrier)}; known are auto, {', '.join(names)}"
            )
    return barrier


def show(seen: Needs, program: Path) -> None:
    """Ends with 0 where all is there, and with 1 where not."""
    for name in seen.lost:
        warn(f"{name} was not found: what it needs is not in the list")
    if not seen.found:
        out.print(f"{escape(str(program))} and its {len(seen.files) - 1} libraries need nothing of OpenMP. "
                  "What they open while they run is not seen here.", highlight=False, soft_wrap=True)  # fmt: skip
        raise typer.Exit(0)
    table = Table(title=f"What it needs of {LIBRARY}", title_justify="left", title_style="bold")
    for head in ("function", "version", "asked for by", "there"):
        table.add_column(head, overflow="fold")
    for need in seen.found:
        there = "yes" if need.there else "no, and it can do without" if need.symbol.weak else "[bold red]missing[/]"
        table.add_row(need.symbol.name, need.symbol.version, need.by.name, there)
    # Names stay whole where they go into a pipe.
    out.print(table, width=max(out.width, 110), crop=False)
    missing = seen.missing
    if not missing:
        out.print(f"All is there: weir run -- {escape(str(program))}", highlight=False, soft_wrap=True)
        raise typer.Exit(0)
    out.print(
        f"{len(missing)} of {len(seen.found)} are missing: "
        "it would end, or not begin, with an undefined symbol. "
        "Run it on the runtime it was built for, or build a newer Weir.",
        highlight=False,
        soft_wrap=True,
    )
    raise typer.Exit(1)


COMMAND = Command("run", run, OF_PROGRAMS)
