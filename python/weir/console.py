"""The terminal: what comes out, and what is complained of."""

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

out = Console()
err = Console(stderr=True)


def fail(message: str) -> typer.Exit:
    """To be raised: the complaint is on the screen, the exit status will be 2."""
    err.print(f"[bold red]weir:[/] {escape(message)}", highlight=False, soft_wrap=True)
    return typer.Exit(2)


def names(text: str | None) -> list[str] | None:
    """An option's words, which have commas between them; None where it was not given."""
    return [name.strip() for name in text.split(",") if name.strip()] if text else None


def warn(message: str) -> None:
    err.print(f"[yellow]{escape(message)}[/]", highlight=False, soft_wrap=True)


def bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left:"))
    return Progress(*columns, TimeRemainingColumn(), console=err)
