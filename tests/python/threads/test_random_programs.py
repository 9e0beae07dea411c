"""Random programs find the same with user-level members as with threads of the kernel."""

import subprocess
import sys
from pathlib import Path

from .. import skips

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "random-programs"


@skips.mark("own", "other runtimes have no virtual processors")
def test_random_programs_find_the_same():
    """A night's: scripts/random-programs."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--seeds", "200", "--kinds", "user,auto", "--failures", "2"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
