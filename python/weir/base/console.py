"""The terminal: output, progress and error messages."""

import codecs
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from weir.base import others
from weir.base.options import Refused
from weir.base.outputs import Unwritable
from weir.base.records import Row
from weir.base.screen import Table
from weir.base.signals import heard_as_ctrl_c


def printable(text: str) -> str:
    """Without what a terminal would obey: records and names of files come from other people."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class Terminal(Console):
    """Obeys no escape sequence that comes with the text: styles are Rich's own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for one in super().render(renderable, options):
            yield one if one.control else Segment("\n".join(map(printable, one.text.split("\n"))), one.style)


out = Terminal()
err = Terminal(stderr=True)


def fail(message: str, status: int = 2) -> typer.Exit:
    """Prints the message, and returns what to raise. Status 2: a wrong request; 1: a failed result."""
    err.print(f"[bold red]weir:[/] {escape(_printable(message))}", highlight=False, soft_wrap=True)
    return typer.Exit(status)


def _printable(message: str) -> str:
    """With characters escaped that a terminal cannot show."""
    return printable(" ".join(message.splitlines())).encode(errors="backslashreplace").decode()


# What stands for characters that the locale's encoding lacks.
PLAIN = {
    "–": "-", "−": "-", "“": '"', "”": '"', "×": "x", "µ": "u", "…": "...", "≈": "~", "·": ".", "σ": "s", "█": "#",
    "⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "₂": "2",
}  # fmt: skip
NEAREST = "weir.nearest"


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(c, "?") for c in lost), error.end


codecs.register_error(NEAREST, _nearest)

USAGE_ERROR: type[Exception] = typer.BadParameter.__base__  # which Typer does not name


class Commands(TyperGroup):
    """Reports each error in one line: which option, what is wrong, and what is allowed."""

    def main(self, *args: Any, **more: Any) -> object:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=NEAREST)
        return super().main(*args, **more)

    def make_context(self, *args: Any, **more: Any) -> typer.Context:
        with _complaining():
            return super().make_context(*args, **more)

    def invoke(self, context: typer.Context) -> object:
        with _complaining():
            return super().invoke(context)

    def parse_args(self, context: typer.Context, words: list[str]) -> list[str]:
        """Where a command has an argument of its own and commands below it, a word is the argument unless it names one
        of them."""
        own = self.params
        if words and words[0] in self.commands:
            self.params = [p for p in own if p.param_type_name != "argument"]
        elif any(p.param_type_name == "argument" for p in own):
            context.allow_interspersed_args = True
        try:
            return super().parse_args(context, words)
        finally:
            self.params = own

    def format_help(self, context: typer.Context, formatter: Any) -> None:
        _fold_help()
        super().format_help(context, formatter)


class OneCommand(TyperCommand):
    def format_help(self, context: typer.Context, formatter: Any) -> None:
        _fold_help()
        super().format_help(context, formatter)


def _fold_help() -> None:
    """Typer's help cuts long words on narrow screens."""
    from typer import rich_utils  # takes a tenth of a second to load

    rich_utils.Table = Table


@dataclass(frozen=True)
class Command:
    """A command, or several below a Typer of their own. A subcommand has a name of two words: bench mpi."""

    name: str
    run: Callable[..., None] | typer.Typer
    settings: dict[str, Any] = field(default_factory=dict)  # as Typer.command takes them


# Words after the program are its arguments.
OF_PROGRAMS = {
    "context_settings": {"allow_extra_args": True, "allow_interspersed_args": False},
    "options_metavar": "[OPTIONS] -- PROGRAM [ARGUMENTS]",
}


def assembled(commands: Iterable[Command], top: Callable[..., None]) -> typer.Typer:
    """One program of many commands, listed in this order. A command comes after the one that it is below. `top`: the
    program's own options and help."""
    commands = list(commands)
    names = [one.name for one in commands if " " not in one.name]

    class InOrder(Commands):
        def list_commands(self, _: typer.Context) -> list[str]:
            return names  # Typer lists groups after all other commands

    apps = {"": typer.Typer(cls=InOrder, no_args_is_help=True, add_completion=False, callback=top)}
    for one in commands:
        above, _, name = one.name.rpartition(" ")
        if isinstance(one.run, typer.Typer):
            apps[above].add_typer(one.run, name=name, cls=Commands)
            apps[one.name] = one.run
        else:
            apps[above].command(name, cls=OneCommand, **one.settings)(one.run)
    return apps[""]


@contextmanager
def _complaining() -> Iterator[None]:
    try:
        yield
    except Unwritable as error:
        raise fail(str(error)) from None
    except USAGE_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        raise fail(_words(error)) from None


def _words(error: Any) -> str:
    command = _named(error.ctx) if error.ctx else ""
    if isinstance(error, Refused) and error.param is not None:
        option = error.param
        name = option.opts[-1] if option.param_type_name == "option" else option.metavar or option.name.upper()
        says = f"{name} {error.message}" if error.message.startswith("takes") else f"{name}: {error.message}"
    else:
        says = " ".join(error.format_message().rstrip(".").split())
        if says.startswith("No such command"):
            says += f"; known are {', '.join(error.ctx.command.list_commands(error.ctx))}"
        elif error.ctx and error.ctx.command.get_help_option(error.ctx):
            says += f"; {' '.join(filter(None, ('weir', command)))} --help lists what there is"
    return f"{command}: {says}" if command else says


def given(context: typer.Context) -> dict[str, str]:
    """The options that the user has given: their names by those of the parameters."""
    params = {p.name: p.opts[-1] for p in context.command.params}
    sources = {name: context.get_parameter_source(name) for name in params}
    return {n: params[n] for n, source in sources.items() if source and source.name not in ("DEFAULT", "DEFAULT_MAP")}


def refuse_others(context: typer.Context, allowed: Iterable[str], what: str) -> None:
    """Refuses options that would have no effect."""
    for name, option in given(context).items():
        if name not in allowed:
            raise fail(f"{_named(context)}: {option} does not go with {what}")


def _named(context: typer.Context) -> str:
    """A command's own names, less the program's."""
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return " ".join(names)


def warn(message: str) -> None:
    err.print(f"[yellow]{escape(_printable(message))}[/]", highlight=False, soft_wrap=True)


def tell_load(rows: Sequence[Row]) -> None:
    """What other programs had, before the figures."""
    if said := others.in_words(rows):
        out.print(Text(said, style="bold yellow"))


def tell_states(lines: Sequence[str]) -> None:
    for line in lines:
        out.print(line)


def end(
    output: Path, page: Path, interrupted: bool, did: str = "measured", more: str = "", highlight: bool | None = None
) -> None:
    """The last lines of a command that has written records. After Ctrl-C it raises what ends the command."""
    if interrupted:
        out.print(f"Interrupted; what was {did} until then is kept.")
    out.print(f"Records: {output}. For the page: weir report {output} -o {page}{more}", highlight=highlight)
    if interrupted:
        raise typer.Exit(130)


def nothing(output: Path, interrupted: bool) -> typer.Exit:
    """What to raise if there is no result; the file keeps its old ones."""
    failed = fail(f"there is no result; {output} is left as it was", status=1)
    return typer.Exit(130) if interrupted else failed


def nothing_measured() -> typer.Exit:
    """What to raise if there are only failures."""
    return fail("nothing was measured: the reasons are above", status=1)


def show_session(
    rows: Sequence[Row], tables: Sequence[RenderableType], output: Path, interrupted: bool, states: Sequence[str] = ()
) -> None:
    """What a command prints that has written these rows, some at least."""
    tell_load(rows)
    for table in tables:
        out.print(table)
    tell_states(states)
    end(output, output.with_suffix(".html"), interrupted)
    if all(row["kind"] != "overhead" for row in rows):
        raise nothing_measured()


@contextmanager
def bar() -> Iterator[Progress]:
    """A progress bar on a terminal. SIGTERM and SIGHUP end the work as Ctrl-C does, and results so far are kept."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left:"))
    shown = Progress(*columns, TimeRemainingColumn(), console=err, disable=not err.is_terminal)
    with heard_as_ctrl_c(), shown as progress:
        yield progress
