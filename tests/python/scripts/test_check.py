"""scripts/check knows tests for every room, and those that it names are there."""

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
loader = SourceFileLoader("check", str(ROOT / "scripts" / "check"))
check = module_from_spec(spec_from_loader("check", loader))
loader.exec_module(check)

FOLDERS = [f.relative_to(ROOT) for top in ("src", "bench", "python/weir") for f in (ROOT / top).iterdir() if f.is_dir()]


@pytest.mark.parametrize("folder", [f for f in FOLDERS if f.name != "__pycache__"], ids=str)
def test_a_change_in_any_room_has_tests(folder: Path):
    programs, _, calls = check.tests_of([f"{folder}/some.file"])
    assert programs or calls


def test_what_the_table_names_is_there():
    cmake = "\n".join(f.read_text() for f in (ROOT / "tests").rglob("CMakeLists.txt"))
    rooms = {"explorer": "set(searches", "simulator": "foreach(room memory"}
    for programs, _, call in check.ROOMS.values():
        for program in programs:
            room, _, name = program.partition(".")
            assert f"({program} " in cmake or re.search(rf"NAME {program}", cmake) or (room in rooms and name in cmake)
        for word in call:
            if word.endswith(".py") or "/" in word:
                assert (ROOT / "tests" / "python" / word).exists(), word


def test_a_python_room_has_its_own_tests_and_what_all_have():
    _, _, calls = check.tests_of(["python/weir/report/page.py"])
    assert ("report",) in calls and check.PYTHON in calls


def test_a_changed_test_is_run():
    assert check.tests_of(["tests/machine/waiting_test.cpp"])[0] == ["machine.waiting"]
    here = "tests/python/scripts/test_check.py"
    assert check.tests_of([here])[2] == [("scripts/test_check.py",)]
