"""The terminal: what comes out, and what is complained of."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from typer.core import TyperGroup

from weir.outputs import Unwritable
from weir.signals import heard_as_ctrl_c

out = Console()
err = Console(stderr=True)


def fail(message: str) -> typer.Exit:
    """To be raised: the complaint is on the screen, the exit status will be 2."""
    err.print(f"[bold red]weir:[/] {escape(message)}", highlight=False, soft_wrap=True)
    return typer.Exit(2)


class Commands(TyperGroup):
    """Whichever command it is that cannot write, it says so in one line."""

    def invoke(self, context: typer.Context) -> object:
        try:
            return super().invoke(context)
        except Unwritable as error:
            raise fail(str(error)) from None


def names(text: str | None) -> list[str] | None:
    """An option's words, which have commas between them, each once; None where it was not given."""
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip())) if text else None


def numbers(text: str, option: str, most: int | None = None) -> list[int]:
    """An option's numbers, from 1 to `most`, each once. What is something else ends the program."""
    try:
        found = list(dict.fromkeys(int(word) for word in names(text) or []))
    except ValueError:
        found = []
    if not found or min(found) < 1 or (most is not None and max(found) > most):
        limits = "from 1 on" if most is None else f"from 1 to {most}"
        raise fail(f"{option} takes numbers {limits} with commas between, not {text!r}")
    return found


def warn(message: str) -> None:
    err.print(f"[yellow]{escape(message)}[/]", highlight=False, soft_wrap=True)


def tell_states(lines: Sequence[str]) -> None:
    for line in lines:
        out.print(f"The machine was in several states by turns, and samples are compared within each. {line}")


def nothing(output: Path, interrupted: bool) -> typer.Exit:
    """To be raised where no result came, and the file's old ones have been kept."""
    failed = fail(f"there is no result; {output} is left as it was")
    return typer.Exit(130) if interrupted else failed


@contextmanager
def bar() -> Iterator[Progress]:
    """Of long work. Who asks that to end (SIGTERM, SIGHUP) is heard as Ctrl-C is, and what has been found is kept."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left:"))
    with heard_as_ctrl_c(), Progress(*columns, TimeRemainingColumn(), console=err) as progress:
        yield progress
