"""Each decision has a date and says what was chosen; the index names each room."""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "docs" / "decisions"


def faults(text: str) -> list[str]:
    entries = re.findall(r"^- .*", text, flags=re.MULTILINE)
    return [entry for entry in entries if not re.match(r"- 20\d\d-[01]\d-[0-3]\d (?:~~)?\*\*\S", entry)]


def test_entries_have_a_date_and_a_choice() -> None:
    rooms = {path.name: path.read_text() for path in FOLDER.glob("*.md") if path.name != "README.md"}
    assert rooms
    for name, text in rooms.items():
        assert "\n- " in text, name
        assert faults(text) == [], name
    index = (FOLDER / "README.md").read_text()
    assert set(re.findall(r"^\| \[([\w-]+\.md)\]", index, flags=re.MULTILINE)) == set(rooms)


def test_faults_are_found() -> None:
    good, bad = "- 2026-11-28 **One**: why.\n  More.\n", "- **None**: no date.\n- 2026-11-28 nothing chosen.\n"
    assert faults(good + bad) == bad.splitlines()
