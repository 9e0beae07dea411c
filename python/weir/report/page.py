"""Writes the page: the sections of each subject, what was left out, the machine."""

from collections.abc import Sequence
from pathlib import Path

from weir.base import drawing, layout, others, parts, states
from weir.base.hosts import described
from weir.base.outputs import prepare, prepare_folder, writing
from weir.base.parts import REASONS, Chart, Detail, LeftOut, Section, Subject, Table, of_runs
from weir.base.records import Row
from weir.report.subjects import SUBJECTS


def wanted(rows: Sequence[Row]) -> list[Subject]:
    """The subjects that the rows are about; the first gives the page its title."""
    return [subject for subject in SUBJECTS if subject.wants(rows)]


def write(
    rows: list[Row], complaints: list[str], output: Path, png: Path | None = None, svg: Path | None = None
) -> list[Path]:
    """Writes the page, and the charts as pictures if folders are given; returns what was written."""
    subjects = wanted(rows)
    situation = others.in_words(rows)
    sections = [s for subject in subjects for s in subject.sections(rows) if not (situation and s.judges)]
    sections += _exceptions(rows, subjects)
    charts = [chart for chart in parts.charts(sections) if chart.drawn is not None]
    hosts = [described(row) for row in rows if row["kind"] == "machine" and not row["host"].get("simulated")]
    on = f", on {hosts[0]['rows']['processor']}" if hosts else ""
    html = layout.render(
        Path(__file__).with_name("page.html.j2"),
        {chart.name: chart.drawn for chart in charts},
        title=subjects[0].title,
        heading=subjects[0].heading,
        about=subjects[0].about.format(on=on),
        situation=situation,
        finding=subjects[0].finding(rows) if subjects[0].finding and not situation else "",
        sections=sections,
        left_out=_by_reason([run for subject in SUBJECTS for run in subject.left_out(rows)]),
        complaints=complaints,
        states=states.in_words(rows, usual=False),
        hosts=hosts,
    )
    prepare(output)
    with writing(output):
        output.write_text(html, encoding="utf-8")
    written = [output]
    for folder, kind in ((png, "png"), (svg, "svg")):
        if folder is not None:
            written += _draw(charts, folder, kind)
    return written


def write_text(rows: list[Row], output: Path) -> list[Path]:
    """The first subject's figures that can be written so, by the suffix; nothing where none can."""
    for subject in wanted(rows):
        if made := subject.texts.get(output.suffix, lambda _: "")(rows):
            with writing(output):
                output.write_text(made, encoding="utf-8")
            return [output]
    return []


def _exceptions(rows: list[Row], subjects: list[Subject]) -> list[Section]:
    """A line on the states of the machine that were exceptions, and the figures of them, folded away."""
    if not (said := states.in_words(rows, usual=True)):
        return []
    apart = [row for row in rows if row["kind"] == "machine"] + states.exceptions(rows)
    tables = [t for subject in subjects if subject.wants(apart) for t in parts.tables(subject.sections(apart))]
    folded = [Detail("The figures of those samples", tables)] if tables else []
    return [Section("When a cache line took another time", " ".join(said), folded)]


def _by_reason(runs: list[LeftOut]) -> list[Table]:
    return [of_runs(reason, of) for reason in REASONS if (of := [run for run in runs if run.reason == reason])]


def _draw(charts: list[Chart], folder: Path, kind: str) -> list[Path]:
    prepare_folder(folder)
    written = []
    for chart in charts:
        path = folder / f"{chart.name}.{kind}"
        with writing(path):
            drawing.save(chart.drawn, path)
        written.append(path)
    return written
