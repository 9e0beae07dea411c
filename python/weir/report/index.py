"""The index page of `make demo`: a sentence on each subject for this machine, with links to the other pages.

python -m weir.report.index FOLDER: writes FOLDER/index.html for the pages and records in it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from weir.base import layout, others, records
from weir.base.console import fail
from weir.base.findings import count_samples
from weir.base.outputs import prepare, writing
from weir.base.parts import REJECTED, Subject
from weir.base.records import Row
from weir.report.subjects import SUBJECTS

# What `make demo` writes: a page, and the records that it shows.
PAGES = (
    ("workloads.html", "workloads.jsonl"),
    ("report.html", "records.jsonl"),
    ("openmp.html", "openmp.jsonl"),
    ("mpi.html", "mpi.jsonl"),
)


def samples(rows: Sequence[Row], subject: Subject) -> str:
    """How many measurements the sentence is based on. Runs are counted as on the subject's page."""
    measured = [row for row in rows if row["kind"] == "overhead"]
    series = {(str(r["what"]), str(r["where"])) for r in measured}
    rejected = sum(one.reason == REJECTED for one in subject.left_out(rows))
    unclean = f"; {rejected} {REJECTED}" if rejected else ""
    return f"{count_samples(measured):,} samples of {len(series)} series in {len(measured)} runs{unclean}"


def _when(rows: Sequence[Row]) -> str:
    """The day of the session."""
    days = [str(row["time"])[:10] for row in rows if row["kind"] == "machine" and row.get("time")]
    return f"{days[-1]}. " if days else ""


def _machine(rows: Sequence[Row]) -> str:
    hosts = [row["host"] for row in rows if row["kind"] == "machine" and not row["host"].get("simulated")]
    if not hosts:
        return ""
    host, count = hosts[-1], len(hosts[-1].get("affinity") or [])
    quota = f", a quota of {host['quota']['processors']:g} processors" if host.get("quota") else ""
    return f"{host.get('cpu_model')}, {count} processor{'s' if count != 1 else ''} to use{quota}."


def write(folder: Path) -> Path:
    parts, charts, machine = [], {}, ""
    for page, source in PAGES:
        rows = records.read([folder / source])[0] if (folder / source).exists() else []
        subject = next((s for s in SUBJECTS if s.finding and s.wants(rows)), None)
        if subject and subject.finding:
            drawn = subject.picture(rows) if subject.picture else None
            if drawn is not None:
                charts[page.removesuffix(".html")] = drawn
            machine = machine or _machine(rows)
            parts.append(
                {
                    "title": subject.name,
                    "page": page,
                    "situation": (situation := others.in_words(rows)),
                    "finding": "" if situation else subject.finding(rows),
                    "when": _when(rows),
                    "samples": samples(rows, subject),
                    "picture": page.removesuffix(".html") if drawn is not None else "",
                }
            )
    output = folder / "index.html"
    prepare(output)
    html = layout.render(Path(__file__).with_name("index.html.j2"), charts, parts=parts, machine=machine)
    with writing(output):
        output.write_text(html, encoding="utf-8")
    for part in parts:
        print(part["finding"] or f"{part['title']}: {part['situation']}")
    return output


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(fail("python -m weir.report.index FOLDER").exit_code)
    try:
        print(f"Open {write(Path(sys.argv[1]))} in a browser.")
    except OSError as error:
        raise SystemExit(fail(str(error)).exit_code) from None
