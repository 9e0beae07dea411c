import json
import random
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.barriers.comparison import Comparison, figures, groups, places, ratio
from weir.barriers.targets import targets
from weir.base import records
from weir.cli import app

from ..conftest import INFO

SUBJECTS = {
    "weir:auto/auto": ("weir", "auto", "auto", 1.0),
    "weir:sense/auto": ("weir", "sense", "auto", 1.2),
    "weir:sense/spin": ("weir", "sense", "spin", 1.1),
    "weir:sense/block": ("weir", "sense", "block", 9.0),
    "weir:mcs/auto": ("weir", "mcs", "auto", 1.5),
    "weir:mcs/spin": ("weir", "mcs", "spin", 1.4),
    "peer:std::barrier": ("peer", "std::barrier", "own", 2.0),
    "floor:switch:0": ("floor", "switch", "none", 0.5),
    "floor:transfer:0:1": ("floor", "transfer", "none", 0.5),
}


def rows(load: str = "none", scale: float = 100.0) -> list[dict]:
    dice = random.Random(7)
    made = []
    for members in (2, 4, 8):
        for run in range(3):
            for name, (family, algorithm, waiting, cost) in SUBJECTS.items():
                overhead = [scale * cost * members * dice.uniform(0.9, 1.1) for _ in range(20)]
                where = {"members": members, "processors": 2, "pinned": True, "load": load, "delay_ns": 100}
                made.append(
                    {
                        "kind": "overhead",
                        "what": {"family": family, "id": name, "algorithm": algorithm, "waiting": waiting},
                        "where": where,
                        "how": {"run": run, "samples": 20, "inner": 9, "rejected": None, "complete": True},
                        "samples": {
                            "episode_ns": [o + 100 for o in overhead],
                            "overhead_ns": overhead,
                            "reference_ns": [100.0] * 20,
                            "cpu_ns": [2 * o + 100 * members for o in overhead],
                        },
                        "cycles_per_ns": 2.5,
                    }
                )
    return made


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    with records.Writer(path) as writer:
        writer.write({"kind": "machine", "id": "s", "time": "2026-01-01", "host": INFO})
        for row in rows() + rows("busy"):
            writer.write(row)
        failed = {**rows()[0], "kind": "failure", "how": {"run": 0, "stopped": "it hung"}}
        del failed["samples"]
        writer.write(failed)
    return path


def comparison(members: int, made: list[dict] | None = None) -> Comparison:
    all_figures = figures(made or rows())
    return next(Comparison(all_figures, p) for p in places(all_figures) if p.members == members)


def test_the_best_comes_first_and_the_floor_suits_the_place():
    c = comparison(8)
    assert c.barriers[0].is_default
    assert c.best_peer is not None and c.best_peer.algorithm == "std::barrier"
    assert c.floor_ns() == pytest.approx(4 * 0.5 * 100 * 8, rel=0.1), "four switches"
    assert comparison(2).floor_ns() == pytest.approx(0.5 * 100 * 2, rel=0.1), "one transfer"
    measured = ratio(c.barriers[0], c.best_peer)
    assert measured is not None and measured.low < 0.5 < measured.high


def test_a_series_whose_runs_are_all_rejected_is_kept_and_marked():
    made = rows()
    for row in made:
        if row["what"]["id"] == "weir:sense/auto":
            row["how"]["rejected"] = "sigma"
    figure = next(f for f in comparison(4, made).barriers if f.id == "weir:sense/auto")
    assert figure.all_rejected and figure.rejected == 3
    assert figure.distribution().samples == 60


def test_rejected_runs_do_not_count_where_others_are_clean():
    made = rows()
    bad = next(r for r in made if r["what"]["id"] == "weir:sense/auto" and r["where"]["members"] == 4)
    bad["how"]["rejected"] = "outliers"
    bad["samples"]["overhead_ns"] = [1e9] * 20
    figure = next(f for f in comparison(4, made).barriers if f.id == "weir:sense/auto")
    assert figure.distribution().median.value < 1e6
    assert figure.distribution().samples == 40


def test_samples_are_paired_within_their_own_session():
    slow, fast = rows(scale=1000.0), rows()
    for session, made in (("a", slow), ("b", fast)):
        for row in made:
            row["session"] = session
    c = comparison(4, slow + fast)
    measured = ratio(c.default, c.best_peer)
    assert measured.value == pytest.approx(0.5, rel=0.03)
    assert measured.low > 0.45, "no sample is compared with one of another session"


def test_the_floor_is_paired_by_run_though_one_of_its_runs_is_rejected():
    made = rows()
    for row in made:
        row["samples"]["overhead_ns"] = [x * 10 ** row["how"]["run"] for x in row["samples"]["overhead_ns"]]
        if row["what"]["family"] == "floor" and row["how"]["run"] == 0:
            row["how"]["rejected"] = "sigma"
    target = next(t for t in targets([comparison(8, made)]) if "switches" in t.what)
    assert target.measured.value == pytest.approx(1.0 / (4 * 0.5), rel=0.05)
    assert target.measured.low > 0.4


def test_what_was_measured_differently_is_neither_merged_nor_joined():
    unbound, longer, elsewhere = rows(), rows(), rows()
    for row in unbound:
        row["where"]["pinned"] = False
    for row in longer:
        row["where"]["delay_ns"] = 5000
    for row in elsewhere:
        row["session"] = "far"
    host = {"kind": "machine", "id": "far", "host": {"cpu_model": "other", "online": 2}}
    all_figures = figures([host, *rows(), *unbound, *longer, *elsewhere])
    made = groups([Comparison(all_figures, p) for p in places(all_figures)])
    assert len(made) == 4
    assert all([c.place.members for c in g] == [2, 4, 8] for g in made)
    assert all(f.distribution().runs == 3 for f in all_figures)


def test_targets_are_held_against_the_figures():
    by_name = {(t.members, t.what): t for t in targets([comparison(2), comparison(8)])}
    best = by_name[(2, "Weir's best / best of other libraries")]
    assert best.reached and best.clearly and best.measured.value == pytest.approx(0.5, rel=0.1)
    slow = rows()
    for row in slow:
        if row["what"]["id"] == "weir:auto/auto":
            row["samples"]["overhead_ns"] = [10 * o for o in row["samples"]["overhead_ns"]]
    missed = [t for t in targets([comparison(8, slow)]) if not t.reached]
    assert {t.what.split(" / ")[1] for t in missed} == {
        "best of other libraries",
        "context switches of the fullest processor",
    }


def test_the_waste_is_what_is_not_computing():
    all_figures = figures(rows("busy"))
    f = next(f for f in all_figures if f.is_default and f.place.members == 2)
    own = 2 * 100.0  # two members, a processor each
    cpu = 2 * 200.0 + 200
    assert f.waste().value == pytest.approx((cpu - own) / cpu, rel=0.1)


def test_the_page_stands_alone_and_draws_its_charts(record_file: Path, tmp_path: Path, chromium: str):
    page = tmp_path / "report.html"
    out = CliRunner().invoke(app, ["report", str(record_file), "-o", str(page)])
    assert out.exit_code == 0, out.output
    html = page.read_text()
    assert not re.search(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=\s*["']?(?:https?:)?//""", html)
    command = [
        *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--host-resolver-rules=MAP * ~NOTFOUND",  # the network is cut
        *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000", "--dump-dom", page.as_uri()),
    ]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=300).stdout
    body = dom.rpartition("<script>")[0]
    for name in ("overhead", "waiting", "ranking-2", "ranking-8", "beside-others"):
        drawn = body.partition(f'id="{name}"')[2].partition("<h2")[0]
        assert "<svg" in drawn and drawn.count("<path") > 5, f"the chart {name} is not drawn: {drawn[:200]}"
    assert "it hung" in body, "a failed run is reported"
    assert "Weir's default" in dom.replace("&#39;", "'").replace("&amp;#39;", "'")
    assert "A &lt;made-up&gt; processor" in dom, "text from records is escaped"


def test_a_page_of_a_rare_state_lacks_what_it_has_too_few_samples_for(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    kept = {"weir:auto/auto", "weir:sense/block", "weir:mcs/spin"}  # each barrier under one policy alone
    with records.Writer(path) as writer:
        writer.write({"kind": "machine", "id": "s", "time": "2026-01-01", "host": INFO})
        for row in rows():
            if row["what"]["family"] != "weir" or row["what"]["id"] in kept:
                writer.write(row)
    page = tmp_path / "page.html"
    out = CliRunner().invoke(app, ["report", str(path), "-o", str(page)])
    assert out.exit_code == 0, out.output
    assert 'id="overhead"' in page.read_text() and 'id="waiting"' not in page.read_text()


def test_a_page_of_several_settings_tells_them_apart(tmp_path: Path):
    unbound = rows()
    for row in unbound:
        row["where"]["pinned"] = False
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, made in zip(files, (rows(), unbound), strict=True):
        with records.Writer(path) as writer:
            for row in made:
                writer.write(row)
    page = tmp_path / "r.html"
    out = CliRunner().invoke(app, ["report", *map(str, files), "-o", str(page)])
    assert out.exit_code == 0, out.output
    html = page.read_text().partition("<script>")[0]
    names = re.findall(r'class="chart" id="([^"]+)"', html)
    assert len(names) == len(set(names)) == 10
    assert "Bound to processors: " in html and "Not bound: " in html


def test_charts_as_pictures(record_file: Path, tmp_path: Path):
    for folder in ("p", "s"):
        (tmp_path / folder).mkdir()
    words = [
        "report",
        str(record_file),
        "-o",
        str(tmp_path / "r.html"),
        "--png",
        str(tmp_path / "p"),
        "--svg",
        str(tmp_path / "s"),
    ]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert (tmp_path / "p" / "overhead.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "s" / "ranking-4.svg").read_text()


def test_bad_lines_are_told_and_the_rest_is_drawn(record_file: Path, tmp_path: Path):
    record_file.write_text(record_file.read_text() + "half a li")
    page = tmp_path / "r.html"
    out = CliRunner().invoke(app, ["report", str(record_file), "-o", str(page)])
    assert out.exit_code == 0
    lines = len(record_file.read_text().splitlines())
    assert f"records.jsonl:{lines}:" in page.read_text()


def test_nothing_to_draw_is_an_error(tmp_path: Path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text(json.dumps({"schema": "weir/1", "kind": "machine", "host": {}}) + "\n")
    out = CliRunner().invoke(app, ["report", str(empty)])
    assert out.exit_code == 2 and "nothing to draw" in out.output
    out = CliRunner().invoke(app, ["report", str(tmp_path / "absent.jsonl")])
    assert out.exit_code == 2 and "FILES... takes a file that can be read" in out.output


def test_a_page_never_takes_the_place_of_its_records(record_file: Path, tmp_path: Path):
    before = record_file.read_text()
    (tmp_path / "link").symlink_to(record_file)
    (tmp_path / "link.html").symlink_to(record_file)
    for output in (record_file, tmp_path / "link", tmp_path / "link.html"):
        out = CliRunner().invoke(app, ["report", str(record_file), "-o", str(output)])
        assert out.exit_code == 2 and ("another name" in out.output or "ends in .html" in out.output)
    assert record_file.read_text() == before


def test_what_cannot_be_written_is_told_in_one_line(record_file: Path, tmp_path: Path):
    page, file = tmp_path / "r.html", tmp_path / "file"
    file.touch()
    for words, says in (
        (["-o", str(tmp_path)], f"cannot write {tmp_path}: Is a directory"),
        (["-o", "/proc/x/y.html"], "--output: cannot write /proc/x/y.html: there is no folder /proc/x"),
        (["-o", str(tmp_path / "new" / "y.html")], f"there is no folder {tmp_path / 'new'}"),
        (["-o", str(page), "--svg", str(tmp_path / "new")], f"there is no folder {tmp_path / 'new'}"),
        (["-o", str(tmp_path / "r.pdf")], "--output takes a name that ends in .html, .md or .csv, not"),
        (["-o", "/dev/full"], "cannot write /dev/full: No space left on device"),
        (["-o", str(page), "--png", str(file)], f"cannot write {file}: Not a directory"),
    ):
        out = CliRunner().invoke(app, ["report", str(record_file), *words])
        assert out.exit_code == 2 and says in out.output, out.output
        assert out.output.count("\n") == 1 and {record_file, file} == set(tmp_path.iterdir())


OPENMP = dict.fromkeys(("algorithm", "waiting", "group", "language", "runtime", "version"), "x") | {"family": "openmp"}


@pytest.mark.parametrize(
    "row, heading",
    [
        ({}, "Barriers on this machine"),
        ({"source": "simulated"}, "Simulated barriers"),
        ({"what": OPENMP}, "What OpenMP costs on this machine"),
    ],
)
def test_failures_alone_have_the_heading_of_their_kind(tmp_path: Path, row: dict, heading: str):
    file, page = tmp_path / "r.jsonl", tmp_path / "r.html"
    with records.Writer(file) as writer:
        writer.write(rows()[0] | {"kind": "failure", "how": {"run": 0, "stopped": "it hung"}} | row)
    out = CliRunner().invoke(app, ["report", str(file), "-o", str(page)])
    assert out.exit_code == 0, out.output
    html = page.read_text().partition("<script>")[0]
    assert f"<h1>{heading}</h1>" in html and "it hung" in html
