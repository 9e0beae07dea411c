"""What a comparison found, as files: records and lines for programs, a text and a page for readers."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weir.base import layout, parts
from weir.base.outputs import Unwritable, prepare, writing
from weir.base.parts import Chart, Detail, Section, Table
from weir.base.records import SCHEMA, Row, document

INTERRUPTED = "Interrupted by Ctrl-C: this is what was measured until then."


@dataclass(frozen=True)
class Export:
    """`answer`: its sentences. `notes`: what a reader must know to judge it. `lines`: of the CSV, with its heads first.
    `figures`: what is computed from the records, for the JSON document."""

    title: str
    heading: str
    answer: Sequence[str]
    notes: Sequence[str]
    sections: Sequence[Section]
    lines: Sequence[Sequence[Any]]
    records: Sequence[Row]
    figures: Sequence[Row] = ()
    hosts: Sequence[Row] = ()  # as weir.base.hosts describes them
    interrupted: bool = False
    picture: Callable[[], Chart | None] = field(default=lambda: None)  # the drawing library takes a second to load


def _document(made: Export) -> str:
    about = {
        "title": made.heading, "answer": list(made.answer), "notes": list(made.notes),
        "interrupted": made.interrupted, "figures": list(made.figures),
    }  # fmt: skip
    return document(about, made.records)


def _records(made: Export) -> str:
    return "".join(json.dumps({"schema": SCHEMA, **row}) + "\n" for row in made.records)


def _csv(made: Export) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(made.lines)
    return text.getvalue()


def _markdown(made: Export) -> str:
    said = [f"# {made.heading}", *([f"**{INTERRUPTED}**"] if made.interrupted else []), *made.answer]
    said += ["\n".join(f"- {note}" for note in made.notes)] if made.notes else []
    for section in made.sections:
        said += [f"## {section.heading}"] if section.heading else []
        said += [section.text] if section.text else []
        for part in section.parts:
            for table in part.tables if isinstance(part, Detail) else [part] if isinstance(part, Table) else []:
                said += ([f"**{table.title}**"] if table.title else []) + [parts.markdown(table)]
    return "\n\n".join(said) + "\n"


def _page(made: Export) -> str:
    picture = made.picture()
    charts = {picture.name: picture.drawn} if picture and picture.drawn is not None else {}
    return layout.render(
        layout.LOOKS / "export.html.j2",
        charts,
        title=made.title,
        heading=made.heading,
        interrupted=INTERRUPTED if made.interrupted else "",
        answer=made.answer,
        notes=made.notes,
        picture=picture,
        sections=made.sections,
        hosts=made.hosts,
    )


FORMATS: dict[str, Callable[[Export], str]] = {
    ".json": _document,
    ".jsonl": _records,
    ".csv": _csv,
    ".md": _markdown,
    ".html": _page,
}
SUFFIXES = tuple(FORMATS)  # what the name of an export may end in


def ready(paths: Sequence[Path]) -> None:
    """Before the long work. Raises Unwritable."""
    for path in paths:
        prepare(path)


def write(made: Export, paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """The files that were written, and why others could not be: each is tried. A device takes records."""
    written, complaints = [], []
    for path in paths:
        try:
            text = FORMATS.get(path.suffix, _records)(made)
            with writing(path):
                path.write_text(text, encoding="utf-8")
            written.append(path)
        except Unwritable as error:
            complaints.append(str(error))
    return written, complaints
