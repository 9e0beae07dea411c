"""Identifiers say what a thing is, and sentences have a subject: what CONTRIBUTING.md asks of names and words."""

import re
import tokenize
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = ("*.c", "*.cpp", "*.h", "*.hpp")
FOLDERS = ("include", "src")
WITH_PROGRAMS = (*FOLDERS, "bench", "tests", "workloads")
TEXTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "src/**/README.md")
# Whose? A name says what the thing is.
NAMES = re.compile(r"\b(its|mine|host|(?<!perms::)all)\b")  # fs::perms::all is the library's
WITH_PYTHON = ("python", "packaging", "scripts", "src", "tests", "workloads")
NAMES_IN_PYTHON = ("its", "mine")
TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z])'(?:\\.|[^'\\\n])+'""", re.DOTALL
)
WORDS = {
    "a sentence without a subject: a thread that, a program that": re.compile(r"(?:^|[.:;] |// ?|/// ?)Who(?:ever)? "),
    "sees, knows": re.compile(r"\bhears? of\b"),
    "attach": re.compile(r"\bcalled in(?:to a|,| by a)"),
    "a number, or the name of the parameter": re.compile(r"\b(?:after|on|for|of|up to|at most) so many\b"),
}


def code(text: str) -> str:
    """Without comments and the texts of strings."""
    return TOKENS.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def sources(folders: tuple[str, ...] = FOLDERS) -> list[Path]:
    return [p for folder in folders for kind in SOURCES for p in sorted((ROOT / folder).rglob(kind))]


def named(text: str) -> list[int]:
    """Lines with such a name. `#include <host>` and `a.its` of another library would be ones, too: there are none."""
    return [number for number, line in enumerate(code(text).splitlines(), 1) if NAMES.search(line)]


def test_names_say_what_a_thing_is():
    files = sources(WITH_PROGRAMS)
    assert len(files) > 700
    found = [f"{p.relative_to(ROOT)}:{line}" for p in files for line in named(p.read_text())]
    assert not found, found


@pytest.mark.parametrize(
    "text", ["void f(team& its);", "const auto mine = 1; // x", 'g("its"); int host;', "x.its = 1;", "names all;"]
)
def test_such_a_name_is_found(text: str):
    assert named(text) == [1]


@pytest.mark.parametrize("text", ["/* its\n mine */ int a;", 'say("its");', "int its_lock; // mine", "is_host();"])
def test_words_of_comments_and_parts_of_names_are_none(text: str):
    assert not named(text)


def in_python() -> list[Path]:
    """Some scripts have no suffix, but say what runs them."""
    scripts = [p for p in sorted((ROOT / "scripts").iterdir()) if p.is_file() and not p.suffix]
    files = [p for folder in WITH_PYTHON for p in sorted((ROOT / folder).rglob("*.py"))]
    return files + [p for p in scripts if re.match(r"#!.*\bpython", p.read_text())]


def named_in_python(text: str) -> list[int]:
    """Before Python 3.12 an f-string is one token. Any name in it has a line of its own that binds it."""
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    return [one.start[0] for one in tokens if one.type == tokenize.NAME and one.string in NAMES_IN_PYTHON]


def test_names_in_python_say_what_a_thing_is():
    files = in_python()
    assert len(files) > 400 and {p.suffix for p in files} == {".py", ""}
    found = [f"{p.relative_to(ROOT)}:{line}" for p in files for line in named_in_python(p.read_text())]
    assert not found, found


@pytest.mark.parametrize("text", ["its = 1\n", "a.mine(b)\n", "def f(mine): ...\n", "from a import mine as b\n"])
def test_such_a_name_is_found_in_python(text: str):
    assert named_in_python(text) == [1]


@pytest.mark.parametrize("text", ["# its\n", 'say("mine")\n', '"""Of its\nmine."""\n', "its_lock = of_mine\n"])
def test_words_of_comments_and_strings_are_none_in_python(text: str):
    assert not named_in_python(text)


def test_sentences_have_a_subject_and_words_of_the_field():
    texts = [p for pattern in TEXTS for p in sorted(ROOT.glob(pattern))]
    assert len(texts) > 25
    found = [
        f"{p.relative_to(ROOT)}:{number}: {instead}"
        for p in [*texts, *sources(WITH_PROGRAMS)]
        for number, line in enumerate(p.read_text().splitlines(), 1)
        for instead, word in WORDS.items()
        if word.search(line)
    ]
    assert not found, found


@pytest.mark.parametrize(
    "text", ["// Who is late waits.", "Who has it, goes on.", "it hears of a limit", "after so many looks"]
)
def test_such_a_sentence_is_found(text: str):
    assert any(word.search(text) for word in WORDS.values())
