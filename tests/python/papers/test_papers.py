"""The catalogue of what the papers found, its page, and `weir papers`. The judges are held to it in
tests/python/simulation/test_papers.py."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.cli import COMMANDS, app
from weir.papers import catalogue, measured, tables
from weir.papers.judgements import Judged

ROOT = Path(__file__).parents[3]
KNOWN = catalogue.judged()
ROWS = [(paper.number, row) for paper in catalogue.papers() for row in paper.findings]
ONE = {"where": "section 1", "says": "Barriers cost.", "judged": ["s: Barriers"]}


def judged(says: str, holds: bool, why: str = "") -> Judged:
    return Judged("section 1", says, "5 ms", holds, "within 1 %", why, of="s")


def weir(*words: str):
    return CliRunner().invoke(app, words)


def test_every_finding_of_every_judge_is_in_the_catalogue():
    named = {one for _, row in ROWS for one in row.judged}
    assert [one.says for findings in KNOWN.values() for one in findings if one not in named] == []


def wrong(number: str, row: catalogue.Finding) -> str | None:
    if not all(one.of.startswith(number) for one in row.judged):
        return "a judge of another paper"
    if row.verdict in (catalogue.AGREES, catalogue.IN_PART):
        if not (row.found and row.again):
            return "no figure, or no command"
    elif not row.why:
        return "no reason"
    if row.judged and any(one.holds for one in row.judged) and not row.because:
        return "nothing says why this tolerance"
    if row.verdict == catalogue.OPEN and not re.match(r"It needs|As for", row.why):
        return "open, and not what it needs"
    return None


def test_each_row_says_what_its_verdict_asks_for():
    found = [f"{number} {row.where}: {why}" for number, row in ROWS if (why := wrong(number, row))]
    assert len(ROWS) > 100 and not found, found


@pytest.mark.parametrize("name", measured.TABLES)
def test_measured_tables_are_judged_as_the_catalogue_says(name: str):
    rows = measured.judged(name, ROOT / "docs" / "measurements")
    assert rows == KNOWN[name]
    assert all(one.holds or one.why for one in rows)


def test_a_measured_judge_can_fail(tmp_path: Path):
    """With a barrier that costs ten times as much, a region is no longer twice a barrier."""
    table = measured.TABLES["003-openmp"].file
    lines = (ROOT / "docs" / "measurements" / table).read_text().splitlines()
    at = lines[0].split(",").index("overhead_ns")
    for n, cells in enumerate(line.split(",") for line in lines):
        if ",barrier," in lines[n]:
            lines[n] = ",".join([*cells[:at], str(10 * float(cells[at])), *cells[at + 1 :]])
    (tmp_path / table).write_text("\n".join(lines) + "\n")
    twice = [one for one in measured.judged("003-openmp", tmp_path) if one.says.startswith("PARALLEL takes")]
    assert len(twice) > 3 and not any(one.holds for one in twice)


def test_commands_of_rows_are_commands():
    named = {name for name, _ in COMMANDS}
    for _, row in ROWS:
        for words in (command.split() for command in row.again):
            assert words[0] == "ctest" or (words[0] == "weir" and words[1] in named), row.again
            if words[1] == "simulate":
                assert words[2] == "openmp" or (ROOT / "scenarios" / f"{words[2]}.toml").exists(), row.again


def test_documents_that_rows_link_to_exist_beside_the_page():
    links = {link for _, row in ROWS for link in re.findall(r"\]\(([^)#]+)[^)]*\)", row.found + row.reason)}
    assert links and all((ROOT / "docs" / link).exists() for link in links)


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [((True, True), catalogue.AGREES), ((True, False), catalogue.IN_PART), ((False, False), catalogue.DIFFERS)],
)
def test_the_verdict_is_that_of_all_variants(holds: tuple[bool, bool], verdict: str):
    known = {"s": [judged(f"Barriers cost ({n}).", one, f"Why {n}.") for n, one in enumerate(holds)]}
    row = ONE | {"judged": ["s: Barriers cost"], "because": "so"}
    finding = catalogue.finding(row, known)
    assert finding.verdict == verdict and finding.again == ("weir simulate s",)
    assert ("agrees" in finding.here) == (verdict == catalogue.IN_PART)
    assert all((f"Why {n}." in finding.reason) != one for n, one in enumerate(holds))
    assert finding.reason.startswith("Within 1 % (so).")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (ONE | {"judged": ["s: Nothing"]}, "no finding of s begins"),
        (ONE | {"judged": ["unknown: Barriers"]}, "no finding of unknown begins"),
        (ONE | {"verdict": "agrees"}, "judges have the verdict"),
        ({"where": "section 1", "says": "Barriers cost."}, "None is no verdict"),
        ({"where": "section 1", "says": "Barriers cost.", "verdict": "holds"}, "holds is no verdict"),
        (ONE | {"tolerance": "1 %"}, "tolerance"),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(row: dict, says: str):
    with pytest.raises(catalogue.Wrong, match=says):
        catalogue.finding(row, {"s": [judged("Barriers cost.", True)]})


def test_the_page_is_what_the_catalogue_says():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "document-papers", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_page_has_a_row_for_each_finding_of_as_many_cells():
    rows = [line for line in tables.page(catalogue.papers()).splitlines() if line.startswith("| ")]
    heads = rows.index(next(line for line in rows if line.startswith("| where")))
    of_findings = [line for line in rows[heads:] if not line.startswith("| where")]
    assert len(of_findings) == len(ROWS)
    assert {line.count("|") for line in of_findings} == {6}


def test_all_papers_are_counted():
    out = weir("papers")
    assert out.exit_code == 0
    for one in catalogue.papers():
        assert sum(one.counts.values()) == len(one.findings) > 3
        assert one.number in out.output
    assert str(len(ROWS)) in out.output


@pytest.mark.parametrize("number", catalogue.NUMBERS)
def test_one_paper_is_shown_in_full(number: str):
    out = weir("papers", number)
    assert out.exit_code == 0 and tables.in_words([catalogue.paper(number)]) in re.sub(r"\s+", " ", out.output)
    assert "](" not in out.output


def test_an_unknown_paper_is_refused_with_the_list():
    out = weir("papers", "007")
    assert out.exit_code == 2
    assert all(number in out.output for number in catalogue.NUMBERS) and "007" in out.output
