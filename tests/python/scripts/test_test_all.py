"""`make test-all` notes when it has passed last."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
NOTED = ROOT / "tests" / "last-test-all.json"


def test_nothing_is_noted_where_a_test_fails(tmp_path: Path):
    """In a repository whose tests fail, and in one with changes that are in no commit."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "tests").mkdir()
    script = tmp_path / "scripts" / "test-all"
    script.write_bytes((ROOT / "scripts" / "test-all").read_bytes())
    script.chmod(0o755)
    makefile = tmp_path / "Makefile"
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for targets, status, says in (("false", 2, "a test has failed"), ("true", 0, "is not a commit")):
        makefile.write_text(f"check-cpp check-python sanitize:\n\t@{targets}\n")
        if targets == "false":
            for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "all"]):
                subprocess.run(["git", *words], cwd=tmp_path, check=True)
        done = subprocess.run([script], capture_output=True, text=True)
        assert done.returncode == status and says in done.stderr, done.stderr
        assert not (tmp_path / "tests" / NOTED.name).exists()
