"""Which room includes which: only those that the line `May use:` of its README.md names, and no two each other.

A room is a folder with a README.md below src, or include/weir; its files are those of the folder and of the folders
below it that are no rooms. The line names rooms beside it, then rooms of src by their paths there; include/weir is
`weir`. A room inside another one is bound by the line of that one as well. A room whose README.md has a line `Face:` is
included by that file alone, which includes nothing of the room.

Who declares a function or a variable by extern "C" needs no include to use another room. So a declaration counts as an
include of the file that defines it, in C++ or in assembly. Only a file above.hpp declares what rooms above it define.
"""

import graphlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SOURCES = (".c", ".cpp", ".f90", ".h", ".hpp", ".S")
MAY_USE = re.compile(r"^May use: (?P<names>[^.\n]*)\.?$", re.MULTILINE)
FACE = re.compile(r"^Face: (?P<name>[\w/]+\.hpp)\.?$", re.MULTILINE)
# Comments, attributes and macros.
IGNORED = re.compile(r"//[^\n]*|/\*.*?\*/|\[\[.*?\]\]|^\s*#\s*define(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
EXTERN_C = re.compile(r'extern "C"\s*(?P<block>\{)?')
# A function's head, or a variable; the end says whether it is defined there.
ENTITY = re.compile(
    r"\b(?P<function>\w+)\s*\([^;{}]*\)[^;{}()]*(?P<end>[;{])|(?P<how>\bextern\b|\bconstinit\b)[^;{}()]*?"
    r"\b(?P<variable>\w+)(?:\[\w*\])?\s*(?:=\s*(?:\{[^}]*\}|[^;{]*))?;"
)
LABEL = re.compile(r"^(?P<name>[a-z]\w*):$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>["<])(?P<path>[^">]+)[">]')


@dataclass(frozen=True)
class Room:
    """A folder, the names of the rooms that it may use, and the only file of it that others include."""

    folder: Path
    name: str
    may_use: tuple[str, ...]
    face: str | None = None


def rooms_of(root: Path) -> dict[Path, Room]:
    """All rooms below `root`, by their folders."""
    found = {}
    for readme in sorted([*root.glob("src/**/README.md"), *root.glob("include/weir/README.md")]):
        folder = readme.parent
        name = "weir" if folder == root / "include/weir" else folder.relative_to(root / "src").as_posix()
        text = readme.read_text()
        line, face = MAY_USE.search(text), FACE.search(text)
        if line is None:
            raise ValueError(f"{readme.relative_to(root)} has no line that begins with 'May use:'")
        names = [n.strip() for n in line["names"].split(",")]
        uses = () if names == ["nothing"] else tuple(names)
        found[folder] = Room(folder, name, uses, face["name"] if face else None)
    return found


def room_of(path: Path, rooms: dict[Path, Room]) -> Room | None:
    """The innermost room that this file is in."""
    return next((rooms[folder] for folder in path.parents if folder in rooms), None)


def outer(room: Room, rooms: dict[Path, Room]) -> Room | None:
    """The room around this one."""
    return room_of(room.folder, rooms)


def named(name: str, by: Room, rooms: dict[Path, Room]) -> Room:
    """The room that another one names: one beside it, or one of src."""
    of_all = {room.name: room for room in rooms.values()}
    beside = f"{by.name.rpartition('/')[0]}/{name}"
    if beside not in of_all and name not in of_all:
        raise ValueError(f"{by.name} may use {name}, which is no room")
    return of_all.get(beside) or of_all[name]


def may_use(user: Room, used: Room, rooms: dict[Path, Room]) -> bool:
    """Does the user's line name the other room, and do the lines of the rooms around the user allow it?"""
    if user == used:
        return True
    if used not in [named(name, user, rooms) for name in user.may_use]:
        return False
    around = outer(user, rooms)
    return around is None or used == around or outer(used, rooms) == around or may_use(around, used, rooms)


def included(path: Path, root: Path) -> Iterator[tuple[int, Path]]:
    """The files of ours that this one includes, and in which lines: looked for from the file's folder upwards."""
    places = [p for p in path.parents if p.is_relative_to(root / "src")] + [root / "include"]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            found = next((p / match["path"] for p in places if (p / match["path"]).is_file()), None)
            if found is not None:
                yield number, found.resolve()
            elif match["open"] == '"':
                raise ValueError(f"{path.relative_to(root)}:{number}: {match['path']} is not found")


def c_names(text: str) -> tuple[set[str], set[str]]:
    """The names that a file declares by extern "C", and those that it defines so or in assembly."""
    text = IGNORED.sub("", text)
    declared, defined = set(), {match["name"] for match in LABEL.finditer(text)}
    for match in EXTERN_C.finditer(text):
        at, end = match.end(), behind_body(text, match.end()) if match["block"] else len(text)
        while entity := ENTITY.search(text, at, end):
            # Without a block and a value it is a declaration.
            defines = entity["end"] == "{" or (entity["how"] == "constinit" and (match["block"] or "=" in entity[0]))
            (defined if defines else declared).add(entity["function"] or entity["variable"])
            at = behind_body(text, entity.end()) if entity["end"] == "{" else entity.end()
            if not match["block"]:
                break
    return declared - defined, defined


def behind_body(text: str, at: int) -> int:
    """The end of the block whose first character is there."""
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def violations_by_names(root: Path) -> list[str]:
    """Every declaration by extern "C" of what a room defines that the declaring one may not use."""
    rooms = rooms_of(root)
    names = {p: c_names(p.read_text()) for p in sorted(root.glob("src/**/*")) if p.suffix in SOURCES}
    found = []
    for path, (declared, _) in names.items():
        user = room_of(path, rooms)
        if user is None or path.name == "above.hpp":
            continue
        for name in sorted(declared):
            used = {room_of(p, rooms) for p, (_, defined) in names.items() if name in defined} - {None}
            if used and not any(may_use(user, room, rooms) for room in used):
                others = " and ".join(sorted(room.name for room in used))
                found.append(f"{path.relative_to(root)}: {user.name} may not use {name} of {others}")
    return found


def violations(root: Path) -> list[str]:
    """Every include that goes where its room may not."""
    rooms = rooms_of(root)
    found = []
    for path in sorted([*root.glob("src/**/*"), *root.glob("include/weir/**/*")]):
        user = room_of(path, rooms)
        if path.suffix not in SOURCES or user is None:
            continue
        for line, target in included(path, root):
            used = room_of(target, rooms)
            if used is None or not may_use(user, used, rooms):
                where = used.name if used else target.relative_to(root)
                found.append(f"{path.relative_to(root)}:{line}: {user.name} may not use {where}")
            elif used != user and used.face is not None and target != used.folder / used.face:
                found.append(f"{path.relative_to(root)}:{line}: {used.name} is used by {used.face} alone")
            elif used == user and used.face is not None and path == used.folder / used.face:
                found.append(f"{path.relative_to(root)}:{line}: the face of {used.name} shows {target.name}")
    return found


def test_every_include_goes_where_its_room_may():
    assert violations(ROOT) == []


def test_every_declaration_goes_where_its_room_may():
    assert violations_by_names(ROOT) == []


@pytest.mark.parametrize("folder", ["src", "src/openmp", "src/threads"])
def test_every_folder_is_a_room(folder: str):
    without = [p.name for p in sorted((ROOT / folder).iterdir()) if p.is_dir() and not (p / "README.md").exists()]
    assert without == []


def test_no_two_rooms_use_each_other():
    rooms = rooms_of(ROOT)
    arrows = {room.name: {named(n, room, rooms).name for n in room.may_use} for room in rooms.values()}
    assert list(graphlib.TopologicalSorter(arrows).static_order())


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Rooms low and high, and two more in high, of which the attic may use the stairs. Files include what they may."""
    for folder, line, text in [
        ("src/low", "nothing", "#include <vector>\n"),
        ("src/high", "low", '#include "low/low.hpp"\n'),
        ("src/high/stairs", "nothing", "#pragma once\n"),
        ("src/high/attic", "stairs", '#include "high/stairs/stairs.hpp"\n'),
    ]:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "README.md").write_text(f"A room.\n\nMay use: {line}.\n")
        (tmp_path / folder / f"{Path(folder).name}.hpp").write_text(text)
    assert violations(tmp_path) == []
    return tmp_path


def test_an_include_upwards_is_found(house: Path):
    (house / "src/low/low.cpp").write_text('#include "low.hpp"\n\n#include "high/high.hpp"\n')
    assert violations(house) == ["src/low/low.cpp:3: low may not use high"]


@pytest.mark.parametrize(
    ("declares", "defines"),
    [
        ('extern "C" void weir_yield(int how);', 'extern "C" void weir_yield(int how) {}'),
        ('extern "C" {\n[[gnu::weak]] void weir_yield();\n}', 'asm(R"(\nweir_yield:\n  ret\n)");'),
        (
            'extern "C" {\nint low() { return 1; }\nextern int weir_bits;\n}',
            'extern "C" {\nconstinit int weir_bits = 1;\n}',
        ),
    ],
)
def test_a_declaration_upwards_is_found(house: Path, declares: str, defines: str):
    (house / "src/low/low.cpp").write_text(declares + "\n")
    assert violations_by_names(house) == []
    (house / "src/high/high.cpp").write_text(defines + "\n")
    assert len(violations_by_names(house)) == 1
    (house / "src/low/low.cpp").rename(house / "src/low/above.hpp")
    assert violations_by_names(house) == []


def test_an_inner_room_is_bound_by_its_own_line_and_by_the_one_around(house: Path):
    (house / "src/high/attic/attic.cpp").write_text('#include "low/low.hpp"\n')
    assert violations(house) == ["src/high/attic/attic.cpp:1: high/attic may not use low"]
    (house / "src/high/attic/README.md").write_text("May use: stairs, low\n")
    assert violations(house) == []
    (house / "src/high/README.md").write_text("May use: nothing\n")
    assert "src/high/attic/attic.cpp:1: high/attic may not use low" in violations(house)


def test_a_room_with_a_face_is_used_by_it_alone(house: Path):
    (house / "src/low/README.md").write_text("Face: face.hpp.\nMay use: nothing.\n")
    (house / "src/low/face.hpp").write_text("#include <vector>\n")
    assert violations(house) == ["src/high/high.hpp:1: low is used by face.hpp alone"]
    (house / "src/high/high.hpp").write_text('#include "low/face.hpp"\n')
    assert violations(house) == []


def test_a_face_that_shows_its_room_is_found(house: Path):
    (house / "src/low/README.md").write_text("Face: low.hpp.\nMay use: nothing.\n")
    (house / "src/low/low.hpp").write_text('#include "inside.hpp"\n')
    (house / "src/low/inside.hpp").write_text("#pragma once\n")
    assert violations(house) == ["src/low/low.hpp:1: the face of low shows inside.hpp"]


def test_rooms_that_use_each_other_are_found(house: Path):
    (house / "src/low/README.md").write_text("May use: high\n")
    rooms = rooms_of(house)
    arrows = {room.name: {named(n, room, rooms).name for n in room.may_use} for room in rooms.values()}
    with pytest.raises(graphlib.CycleError):
        list(graphlib.TopologicalSorter(arrows).static_order())
