"""`weir report`."""

from pathlib import Path
from typing import Annotated

import typer

from weir.base import options, records
from weir.base.console import Command, fail, out, refuse_others, warn
from weir.base.options import argument, option
from weir.base.outputs import prepare, prepare_folder


def report(
    context: typer.Context,
    files: Annotated[list[Path], argument(options.InputFile(), "FILES...", help="Records of one or several sessions.")],
    output: Annotated[
        Path,
        option(
            options.OutputFile(".html", ".md", ".csv"),
            "-o",
            "--output",
            help="The page (.html), or OpenMP's tables (.md, .csv).",
        ),
    ] = Path("report.html"),
    png: Annotated[Path | None, option(options.OutputFolder(), help="A folder for the charts as PNG.")] = None,
    svg: Annotated[Path | None, option(options.OutputFolder(), help="A folder for the charts as SVG.")] = None,
) -> None:
    """Draw records as one self-contained page, or write OpenMP's tables as Markdown or CSV."""
    if output.suffix in (".md", ".csv"):
        refuse_others(context, ("files", "output"), f"a table: {output} holds no charts")
    if output.resolve() in {file.resolve() for file in files}:
        raise fail(f"{output} is one of the record files: give the page another name with -o")
    prepare(output)
    for folder in filter(None, (png, svg)):
        prepare_folder(folder)
    try:
        rows, complaints = records.read(files)
    except OSError as error:
        raise fail(f"cannot read {error.filename}: {error.strerror}") from None
    for complaint in complaints:
        warn(complaint)
    from weir.report import page  # the drawing libraries take a second to load

    if not page.wanted(rows):
        raise fail("no usable row in " + ", ".join(map(str, files)) + ": nothing to draw")
    if output.suffix in (".md", ".csv"):
        written = page.write_text(rows, output)
        if not written:
            raise fail(f"{output}: tables as Markdown and CSV are of the OpenMP suite, which these records do not hold")
    else:
        written = page.write(rows, complaints, output, png, svg)
    out.print("\n".join(f"wrote {path}" for path in written), highlight=False)


COMMAND = Command("report", report)
