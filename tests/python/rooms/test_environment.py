"""The environment variables of Weir: those of src/system/environment.h, and no other ones, in code and in documents."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEADER = ROOT / "src" / "system" / "environment.h"
PAGE = ROOT / "docs" / "environment.md"
VARIABLE = re.compile(r'VARIABLE\((?P<name>WEIR_\w+), (?P<whom>\w+),\s*"(?P<values>[^"]+)",\s*"(?P<does>[^"]+)"\)')
TESTS = "WEIR_TEST_"
# A constant of the POSIX interface, an option of the build, and what several names begin with.
OTHERS = {"WEIR_BARRIER_SERIAL_THREAD", "WEIR_MPI_ONLY", "WEIR_MPI_", TESTS}
NAMED = re.compile(
    r"\bWEIR_(?:THREADS|PROCESSORS|ADAPT|DEADLOCKS|EXPLAIN|WEIGHT|\w*BARRIER\w*|PROFILE\w*|TRACE\w*|SHARE\w*|MPI_\w*|"
    r"HW_\w*|TEST_TICK\w*)\b"
)


def declared() -> dict[str, tuple[str, str, str]]:
    """For whom each variable is, which values it has, and what it does."""
    text = re.sub(r"\s*\\\n\s*", " ", HEADER.read_text())
    return {m["name"]: (m["whom"], m["values"], m["does"]) for m in VARIABLE.finditer(text)}


def plain(cell: str) -> str:
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell).replace("`", "").strip()


def documented() -> dict[str, tuple[str, str, str]]:
    found = {}
    for line in PAGE.read_text().splitlines():
        if line.startswith("| `WEIR_"):
            name, values, _, whom, does = map(plain, line.strip("|").split("|"))
            found[name] = whom.upper(), values, does
    return found


def test_the_document_has_the_variables_of_the_table():
    code, page = declared(), documented()
    assert len(code) > 20 and list(page) == list(code)
    for name, (whom, values, does) in code.items():
        assert page[name][:2] == (whom, values), name
        assert page[name][2].startswith(does), f"{name}: {PAGE.name} does not begin with `{does}`"


def test_what_is_for_tests_says_so():
    assert all(name.startswith(TESTS) == (whom == "TESTS") for name, (whom, *_) in declared().items())


def test_no_other_place_of_the_sources_names_a_variable_to_read_it():
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((ROOT / "src").rglob("*.[ch]*"))
        if path != HEADER
        for name in re.findall(r'"(WEIR_\w+)"', path.read_text())
    ]
    assert found == []


def test_nothing_names_a_variable_that_is_not_there():
    known = set(declared()) | OTHERS
    places = [
        *(p for p in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")] if p.name != "CHANGELOG.md"),
        *(ROOT / "python").rglob("*.py"),
        *(p for p in (ROOT / "scripts").iterdir() if p.is_file()),
        *(p for p in (ROOT / "src").rglob("*.[ch]pp") if p.is_file()),
    ]
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in places
        if "decisions" not in path.parts and "measurements" not in path.parts
        for name in NAMED.findall(path.read_text(errors="replace"))
        if name not in known
    ]
    assert found == []


PROGRAM = """
#include <stdio.h>
#include <system/environment.h>
int main(void) {
#define VARIABLE(name, whom, values, does) if (weir_value_of(name)) puts(weir_name_of(name));
  WEIR_VARIABLES(VARIABLE)
}
"""


@pytest.mark.parametrize("options", [[], ["-DWEIR_READS_TEST_VARIABLES"]], ids=["release", "tests"])
def test_only_builds_with_tests_read_those_for_tests(options: list[str], tmp_path: Path):
    (tmp_path / "reads.c").write_text(PROGRAM)
    made = ["gcc", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'src'}", *options, "reads.c", "-o", "reads"]
    subprocess.run(made, cwd=tmp_path, check=True)
    environment = dict.fromkeys(declared(), "1")
    told = subprocess.run([tmp_path / "reads"], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.split() == [n for n, (whom, *_) in declared().items() if options or whom != "TESTS"]
