"""The rooms of python/weir use each other as their first pages say: `May use: base, barriers.`"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

WEIR = Path(__file__).parents[3] / "python" / "weir"
LIST = "report/subjects.py"  # may take the section of every room


def rooms(root: Path) -> dict[str, set[str]]:
    """Each room, with those that it may use."""
    found = {}
    for page in sorted(root.glob("*/__init__.py")):
        says = re.search(r"^May use: ([a-z, ]+)\.$", ast.get_docstring(ast.parse(page.read_text())) or "", re.MULTILINE)
        found[page.parent.name] = set(says.group(1).split(", ")) - {"nothing"} if says else {"?"}
    return found


def imported(file: Path) -> Iterator[str]:
    """Names of ours, as weir.base.records: wherever in the file they are imported."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def wrong(root: Path) -> list[str]:
    """What is not as the rooms' first pages say, a line for each."""
    known = rooms(root)
    said = [f"{room}/__init__.py has no line `May use: ...`" for room, uses in known.items() if uses == {"?"}]
    for room, uses in known.items():
        said += [f"{room} may use {other}, which is no room" for other in sorted(uses - set(known) - {"?"})]
        if room in _reached(room, known):
            said.append(f"{room} may use itself by way of others")
        for file in sorted((root / room).rglob("*.py")):
            here = str(file.relative_to(root))
            for name in imported(file):
                _, _, inside = name.partition("weir.")
                other, _, module = inside.partition(".")
                if not name.startswith("weir.") or other in uses | {room} or (here == LIST and module == "section"):
                    continue
                said.append(f"{here} imports {name}")
    return said


def _reached(room: str, known: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    ahead = set(known[room])
    while ahead:
        reached.add(one := ahead.pop())
        ahead |= known.get(one, set()) - reached
    return reached


def test_the_arrows_point_as_the_rooms_say():
    assert wrong(WEIR) == []


def test_the_base_knows_no_subject_and_the_page_only_its_list():
    known = rooms(WEIR)
    assert known["base"] == set() and known["report"] == {"base"} and len(known) > 8


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree without a mistake."""
    for room, uses in (("base", "nothing"), ("openmp", "base"), ("profile", "base, openmp"), ("report", "base")):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text(f'"""A room.\n\nMay use: {uses}.\n"""\n')
    (tmp_path / "openmp" / "section.py").write_text("from weir.base import records\nimport json\n")
    (tmp_path / "profile" / "cli.py").write_text("from weir.openmp.section import SUBJECT\n")
    (tmp_path / "report" / "subjects.py").write_text("from weir.openmp import section\n")
    assert wrong(tmp_path) == []
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("base/records.py", "from weir.openmp import section", "base/records.py imports weir.openmp.section"),
        ("openmp/cli.py", "def f():\n    import weir.profile.cli", "openmp/cli.py imports weir.profile.cli"),
        ("report/page.py", "from weir.openmp import section", "report/page.py imports weir.openmp.section"),
        ("report/subjects.py", "from weir.openmp import charts", "report/subjects.py imports weir.openmp.charts"),
        ("openmp/cli.py", "from weir import cli", "openmp/cli.py imports weir.cli"),
        ("openmp/__init__.py", '"""A room."""', "openmp/__init__.py has no line `May use: ...`"),
        ("openmp/__init__.py", '"""May use: base, threads."""', "openmp may use threads, which is no room"),
        ("openmp/__init__.py", '"""May use: base, profile."""', "openmp may use itself by way of others"),
    ],
)
def test_a_wrong_arrow_is_told_of(tree: Path, file: str, text: str, says: str):
    (tree / file).write_text(text + "\n")
    assert says in wrong(tree)
