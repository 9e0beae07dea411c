"""Random programs find the same with user-level members as with threads of the kernel."""

import subprocess
import sys
from pathlib import Path

import pytest

from .. import skips

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "random-programs"


@skips.mark("own", "other runtimes have no virtual processors")
@pytest.mark.parametrize(("kinds", "seeds"), [("user,auto", 200), ("crowd", 60)])
def test_random_programs_find_the_same(kinds: str, seeds: int):
    """A night's: scripts/random-programs. Among the seeds is 300, which differed once."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--seeds", str(seeds), "--first", "250", "--kinds", kinds, "--failures", "3"],
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert done.returncode == 0, done.stdout + done.stderr
