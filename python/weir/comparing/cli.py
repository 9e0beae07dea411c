"""`weir compare A B`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.text import Text

from weir.base import exports, options, records
from weir.base.console import Command, err, fail, out, warn
from weir.base.options import argument, option
from weir.base.records import Row
from weir.base.screen import shown
from weir.comparing import machines, tables
from weir.comparing.comparison import Comparison
from weir.comparing.series import A, B, series

MOST_NAMED = 5  # series of one file alone


def compare(
    files: Annotated[
        list[Path], argument(options.InputFile(), "A B", help="Records of what was before, and of what is now.")
    ],
    export: Annotated[
        list[Path] | None,
        option(
            options.OutputFile(*exports.SUFFIXES),
            "--export",
            help="Write the result, as the name's ending says: all ratios (.json, .jsonl, .csv), the table (.md), a "
            "page (.html). May be repeated.",
        ),
    ] = None,
) -> None:
    """Compare two files of records: which series are faster in the second, and which slower."""
    if len(files) != 2:
        given = ", ".join(map(str, files))
        raise fail(f"compare takes two files of records, A and B, not {len(files)}: {given}")
    for path in export or ():
        if path.resolve() in {file.resolve() for file in files}:
            raise fail(f"{path} is one of the record files: give the export another name")
    exports.ready(export or ())
    a, b = map(_read, files)
    every = series(a, b)
    _check(every, files, a, b)
    found = Comparison(every)
    if not found.changes:
        raise fail(
            f"no series is in both files. {files[0]} and {files[1]} must hold the same measurements; the two series "
            f"that differ least differ in {machines.nearest(every)}"
        )
    _show(found, a, b, files)
    if export:
        written, complaints = exports.write(tables.export(a, b, files, found), export)
        for path in written:
            err.print(f"wrote {escape(str(path))}", highlight=False, soft_wrap=True)
        for complaint in complaints:
            fail(complaint)
        if complaints:
            raise typer.Exit(1)


def _read(file: Path) -> list[Row]:
    try:
        rows, complaints = records.read([file])
    except OSError as error:
        raise fail(f"cannot read {error.filename}: {error.strerror}") from None
    for complaint in complaints:
        warn(complaint)
    if not rows:
        raise fail(f"{file} holds no record that can be used: weir compare takes what weir bench, simulate, scale, "
                   "predict and run --compare --export write")  # fmt: skip
    return rows


def _check(every: list, files: list[Path], a: list[Row], b: list[Row]) -> None:
    for name, file, rows in ((A, files[0], a), (B, files[1], b)):
        found = [one for one in every if name in one.rows]
        if not found:
            kinds = ", ".join(sorted({row["kind"] for row in rows}))
            raise fail(f"{file} holds no figure to compare: its rows are of the kind {kinds}")
        if all(one.is_floor for one in found):
            raise fail(f"{file} holds no figure to compare: only what the machine itself takes")


def _show(found: Comparison, a: list[Row], b: list[Row], files: list[Path]) -> None:
    for name, file, rows in ((A, files[0], a), (B, files[1], b)):
        out.print(Text(f"{name}: {file}, {machines.sessions(rows)}"), soft_wrap=True)
    table = tables.short(found)
    out.print(shown(table, range(len(table.heads))))
    for name in (A, B):
        if only := tables.only(found, name):
            more = f"; and {len(only) - MOST_NAMED} more" if len(only) > MOST_NAMED else ""
            said = "; ".join(only[:MOST_NAMED]) + more
            out.print(Text(f"In {name} alone, {len(only)} series: {said}."), soft_wrap=True)
    for note in machines.notes(a, b, found):
        warn(note)
    for sentence in found.sentences():
        out.print(f"[bold]{escape(sentence)}[/]", highlight=False, soft_wrap=True)


COMMAND = Command("compare", compare)
