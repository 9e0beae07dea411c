"""`weir run -- program`, `weir run --check program` and `weir run --mpi -- mpirun program`."""

import os
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.markup import escape
from rich.table import Table

from weir.base import native, options
from weir.base.console import OF_PROGRAMS, Command, fail, out, warn
from weir.base.options import option, shortened
from weir.run import launching, starting
from weir.run.elf import NotElf
from weir.run.needs import Needs, needs
from weir.run.starting import LIBRARY, CannotRun


def run(
    context: typer.Context,
    barrier: Annotated[
        str | None,
        option(options.Text("a barrier's name"), help="The teams' barrier, such as mcs, or the processes'."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Run nothing: say what it needs of OpenMP, and has.")] = False,
    mpi: Annotated[
        bool, typer.Option("--mpi", help="An MPI program, by its launcher: MPI_Barrier alone becomes Weir's.")
    ] = False,
) -> None:
    """Run an OpenMP program, unchanged, on Weir's runtime: weir run -- PROGRAM [ARGUMENTS].

    Or an MPI program with Weir's barrier: weir run --mpi -- mpirun -n 4 PROGRAM [ARGUMENTS].
    """
    try:
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
