"""The `weir` command."""

import json
import subprocess
import time
from pathlib import Path
from typing import Annotated

import typer

from weir import driver, info, native, predict_cli, records, screen, sitting
from weir.bench import Bench
from weir.console import Commands, bar, fail, names, nothing, numbers, out, tell_states, warn
from weir.figures import ELSEWHERE, Comparison, figures, places
from weir.mpi.cli import mpi
from weir.mpi.scale_cli import scale
from weir.openmp import tables
from weir.openmp.cli import openmp
from weir.openmp.comparison import constructs
from weir.outputs import prepare, prepare_folder, writing
from weir.profile.cli import profile
from weir.run.cli import CONTEXT, run
from weir.simulation.cli import simulate
from weir.states import in_words

app = typer.Typer(
    cls=Commands, no_args_is_help=True, add_completion=False, help="Barriers for machines that are shared."
)
bench_app = typer.Typer(
    invoke_without_command=True, help="Measure barriers; or OpenMP's constructs; or barriers over MPI."
)
bench_app.command("openmp")(openmp)
bench_app.command("mpi")(mpi)
app.add_typer(bench_app, name="bench")
app.command()(simulate)
app.command()(scale)
app.add_typer(predict_cli.app, name="predict")
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(profile)
app.command(context_settings=CONTEXT)(run)


def _plan(found: list[driver.Subject], processors: list[int], options: dict) -> sitting.Sitting:
    chosen = sitting.choose(found, options["algorithms"], options["waiting"], options["peers"], options["quick"])
    quick, busy = options["quick"], options["load"] == "busy"
    sizes = options["members"] or sitting.usual_sizes(len(processors))
    main = sitting.Part(
        subjects=chosen,
        sizes=sizes,
        rounds=options["rounds"] or (3 if quick else 10),
        samples=options["samples"] or (30 if quick else 50),
        load=options["load"],
        pinned=options["pinned"],
        sample_ms=20.0 if busy else 1.0,
        series_budget_s=2.0 if busy else 0.3 if quick else 1.0,
        delay_ns=options["delay_ns"],
    )
    plan = sitting.Sitting(processors, [main])
    if quick and not busy:
        # What waiting costs others: a few subjects, beside a foreign process on each processor.
        beside = tuple(n for n in sizes if n <= 2 * len(processors))[-2:] or sizes[:1]
        plan.parts.append(sitting.Part(sitting.loaded(found), beside, 2, 8, "busy", options["pinned"], 20.0, 0.8))
    return plan


@bench_app.callback()
def bench(
    context: typer.Context,
    members: Annotated[str | None, typer.Option(help="Team sizes, such as 2,4,8.")] = None,
    algorithms: Annotated[str | None, typer.Option(help="Only these barriers, such as sense,mcs.")] = None,
    waiting: Annotated[str | None, typer.Option(help="Only these waiting policies, such as auto,spin.")] = None,
    peers: Annotated[bool, typer.Option(help="Measure the barriers of others as well.")] = True,
    rounds: Annotated[int | None, typer.Option(min=1, help="Runs, each in fresh processes (10; quick 3).")] = None,
    samples: Annotated[int | None, typer.Option(min=3, help="Measurements in a run (50; quick 30).")] = None,
    delay_ns: Annotated[
        float | None, typer.Option(min=0, help="Work between barriers (100, or 1000 if shared).")
    ] = None,
    pinned: Annotated[
        bool, typer.Option("--pinned/--unpinned", help="Bind members to processors, round-robin.")
    ] = True,
    load: Annotated[str, typer.Option(help="none, or busy: a foreign process on each processor.")] = "none",
    quick: Annotated[bool, typer.Option("--quick", help="Two to three minutes in all.")] = False,
    seconds: Annotated[float | None, typer.Option(help="Begin no more runs after so long.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the records go.")] = Path("out/records.jsonl"),
) -> None:
    """Measure every barrier, its peers and the floor of this machine, in one sitting. Or: weir bench openmp, mpi."""
    if context.invoked_subcommand is not None:
        return
    if load not in ("none", "busy"):
        raise fail(f"--load takes none or busy, not {load!r}")
    try:
        host = native.ask("weir-info")
        found, missing = driver.subjects()
        options = {
            "algorithms": names(algorithms), "waiting": names(waiting), "peers": peers, "quick": quick, "load": load,
            "members": numbers(members, "--members") if members else None, "rounds": rounds, "samples": samples,
            "pinned": pinned, "delay_ns": delay_ns,
        }  # fmt: skip
        plan = _plan(found, host["affinity"], options)
        writer = records.Writer(output)
    except (native.NativeError, sitting.UnknownName, OSError) as error:
        raise fail(str(error)) from None
    for word in missing:
        warn(word)

    with writer, bar() as progress:
        task = progress.add_task("starting", total=plan.steps())
        measuring = Bench(plan, writer, lambda p: progress.update(task, description=p.doing, advance=p.steps))
        measuring.run(host, time.monotonic() + seconds if seconds else None)
    for complaint in dict.fromkeys(measuring.complaints):
        warn(complaint)

    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    all_figures = figures(writer.rows)
    for place in places(all_figures) + places(all_figures, "busy"):
        out.print(screen.ranking(Comparison(all_figures, place)))
    tell_states(in_words(writer.rows))
    if measuring.interrupted:
        out.print("Stopped by hand; what was measured until then is kept.")
    out.print(f"Records: {output}. For the page: weir report {output} -o {output.with_name('report.html')}")
    if measuring.interrupted:
        raise typer.Exit(130)


@app.command()
def report(
    files: Annotated[list[Path], typer.Argument(help="Records, of one sitting or several.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page; or .md, .csv: OpenMP's tables.")] = Path(
        "report.html"
    ),
    png: Annotated[Path | None, typer.Option(help="A folder for the charts as PNG.")] = None,
    svg: Annotated[Path | None, typer.Option(help="A folder for the charts as SVG.")] = None,
) -> None:
    """Draw records as one self-contained page, or write OpenMP's tables as Markdown or CSV."""
    from weir.report import page  # the drawing libraries take a second to load

    if output.resolve() in {file.resolve() for file in files}:
        raise fail(f"{output} holds the records that are to be read: give the page another name by -o")
    prepare(output)
    for folder in filter(None, (png, svg)):
        prepare_folder(folder)
    try:
        rows, complaints = records.read(files)
    except OSError as error:
        raise fail(f"cannot read {error.filename}: {error.strerror}") from None
    for complaint in complaints:
        warn(complaint)
    told = ("simulation", "scale", "failure")
    others = any(r["kind"] in told or r["kind"] == "overhead" and r["what"]["family"] in ELSEWHERE for r in rows)
    if not figures(rows) and not others:
        raise fail("no usable row in " + ", ".join(map(str, files)) + ": nothing to draw")
    if output.suffix in (".md", ".csv"):
        _write_table(rows, output)
        return
    written = page.write(rows, complaints, output, png, svg)
    out.print("\n".join(f"wrote {path}" for path in written), highlight=False)


def _write_table(rows: list[records.Row], output: Path) -> None:
    found = constructs(rows)
    if not found:
        raise fail(f"{output}: tables as Markdown and CSV are of the OpenMP suite, and these records hold none of it")
    with writing(output):
        output.write_text(tables.markdown(found, in_words(rows)) if output.suffix == ".md" else tables.as_csv(found))
    out.print(f"wrote {output}", highlight=False)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def explore(context: typer.Context) -> None:
    """Check a barrier in every schedule of a small team: weir explore BARRIER, or --all."""
    try:
        program = native.require("weir-explore")
    except native.NativeError as error:
        raise fail(str(error)) from None
    # Its own words, and its own Ctrl-C: both get it, and it prints what was reached.
    with subprocess.Popen([program, *context.args]) as running:
        while True:
            try:
                raise typer.Exit(running.wait())
            except KeyboardInterrupt:
                continue


@app.command("info")
def show_info(
    as_json: Annotated[bool, typer.Option("--json", help="The same for machines.")] = False,
) -> None:
    """Show what Weir sees of this machine, and what it would choose here."""
    try:
        seen = native.ask("weir-info")
    except native.NativeError as error:
        raise fail(str(error)) from None
    if as_json:
        print(json.dumps(seen, indent=1))
    else:
        info.show(seen, out)
