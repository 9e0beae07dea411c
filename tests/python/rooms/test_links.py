"""The documents link to files, headings and paths that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = (
    *("include", "src", "bench", "python", "tests", "docs"),
    *("machines", "scenarios", "scripts", "cmake", "packaging"),
)
DOCUMENTS = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".f90", ".py", ".j2", ".sh"}
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
NAMES = sorted(path.relative_to(ROOT).as_posix() for path in DOCUMENTS)


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """As forges make them of headings: lower case, blanks to hyphens, punctuation dropped."""
    headings = re.findall(r"^#+ (.*)$", without_code(document.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document: Path, text: str) -> list[str]:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


def missing_paths(text: str) -> list[str]:
    """Paths of the repository that running text names, as `src/machine/gate.cpp`, `bench/mpi/*.cpp` or `tests/`."""
    named = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./*-]*)[^`]*`", without_code(text))
    return [path for path in named if not any(ROOT.glob(path))]


def test_documents_are_found() -> None:
    assert {"README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/terms.md"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    assert broken_links(ROOT / name, (ROOT / name).read_text()) == []


@pytest.mark.parametrize("name", NAMES)
def test_named_paths_exist(name: str) -> None:
    assert missing_paths((ROOT / name).read_text()) == []


def test_documents_that_comments_name_exist() -> None:
    named = {
        (path.relative_to(ROOT).as_posix(), document)
        for path in SOURCES
        if path != Path(__file__)
        for document in re.findall(r"docs/[\w/-]+\.md", path.read_text())
    }
    assert named
    assert {pair for pair in named if not (ROOT / pair[1]).exists()} == set()


def test_faults_are_found() -> None:
    links = "[gone](gone.md) [no heading](docs/terms.md#gone) "
    links += "[good](docs/terms.md#papers) [web](https://example.org/gone)"
    assert broken_links(ROOT / "README.md", links) == ["gone.md", "docs/terms.md#gone"]
    assert missing_paths("`bench/mpi/*.cpp`, `scripts/hosts up` and `src/gone.cpp`") == ["src/gone.cpp"]


@pytest.mark.parametrize("name", NAMES)
def test_a_link_that_is_called_by_a_path_leads_there(name: str) -> None:
    text = without_code((ROOT / name).read_text())
    called = re.findall(r"\[((?:[\w.-]+/)*[\w.-]+\.md)\]\(([^)\s#]+)[^)]*\)", text)
    ends = {words: f"/{((ROOT / name).parent / target).resolve()}".endswith(f"/{words}") for words, target in called}
    assert [words for words, leads in ends.items() if not leads] == []
