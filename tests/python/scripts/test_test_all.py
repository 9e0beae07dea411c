"""`make test-all` notes when it has passed last."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "test-all"
NOTED = Path("tests") / "last-test-all.json"
COMMIT = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A commit whose tests fail."""
    for folder in ("scripts", "tests"):
        (tmp_path / folder).mkdir()
    script = tmp_path / "scripts" / SCRIPT.name
    script.write_bytes(SCRIPT.read_bytes())
    script.chmod(0o755)
    let_tests_be(tmp_path, "false")
    for words in (["init", "-q"], ["add", "."], COMMIT):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def let_tests_be(tree: Path, command: str) -> None:
    (tree / "Makefile").write_text(f"forget-retries check-cpp check-python sanitize retries:\n\t@{command}\n")


def notes_nothing(tree: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([tree / "scripts" / SCRIPT.name], capture_output=True, text=True)
    assert not (tree / NOTED).exists()
    return done


def test_nothing_is_noted_where_a_test_fails(tree: Path):
    done = notes_nothing(tree)
    assert done.returncode == 2 and "a test has failed" in done.stderr, done.stderr


def test_nothing_is_noted_of_changes_that_are_in_no_commit(tree: Path):
    let_tests_be(tree, "true")
    done = notes_nothing(tree)
    assert done.returncode == 0 and "is not a commit" in done.stderr, done.stderr
