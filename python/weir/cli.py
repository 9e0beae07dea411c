"""The `weir` command: the commands of all subjects, in the order in which --help lists them."""

import sys
from importlib import import_module
from typing import Annotated

import typer

from weir.base import native
from weir.base.console import Command, assembled, out

# A command, and the subject that has it. One that is below another comes after that one.
COMMANDS = (
    ("run", "weir.run"),
    ("doctor", "weir.doctor"),
    ("advise", "weir.advising"),
    ("info", "weir.info"),
    ("tune", "weir.tuning"),
    ("bench", "weir.barriers"),
    ("bench openmp", "weir.openmp"),
    ("bench mpi", "weir.mpi"),
    ("bench threads", "weir.threads"),
    ("bench workloads", "weir.workloads"),
    ("profile", "weir.profile"),
    ("trace", "weir.tracing"),
    ("report", "weir.report"),
    ("compare", "weir.comparing"),
    ("simulate", "weir.simulation"),
    ("simulate openmp", "weir.simulation.openmp"),
    ("papers", "weir.papers"),
    ("scale", "weir.scale"),
    ("predict", "weir.prediction"),
    ("explore", "weir.explorer"),
    ("build", "weir.building"),
)


def commands(first: str) -> list[Command]:
    """Those that begin with this word, or all, if none does: loading the others would take a third of a second."""
    asked = [subject for name, subject in COMMANDS if name.split()[0] == first]
    return [import_module(f"{subject}.cli").COMMAND for subject in asked or [subject for _, subject in COMMANDS]]


def _show_version(asked: bool) -> None:
    if not asked:
        return
    try:
        libraries = native.ask("weir-info")["version"]
        where = f"programs and libraries {libraries}: {native.require('weir-info').parent}"
    except native.NativeError as error:
        libraries, where = native.version(), f"no programs and libraries: {error}"
    out.print(f"weir {libraries if native.in_tree() else native.version()}\n{where}", highlight=False, soft_wrap=True)
    raise typer.Exit


def weir(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Barriers for machines that are shared."""


def main(*words: str) -> None:
    """The command with these arguments; none: those of the process."""
    first = next(iter(words or sys.argv[1:]), "")
    assembled(commands(first), weir)(words or None, prog_name="weir")


def __getattr__(name: str) -> typer.Typer:
    """`app`: with all commands."""
    if name != "app":
        raise AttributeError(name)
    return assembled(commands(""), weir)
