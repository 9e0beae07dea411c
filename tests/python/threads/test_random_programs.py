"""Random programs find the same with user-level members as with threads of the kernel."""

import re
import subprocess
import sys
from pathlib import Path

from .. import skips

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "random-programs"
SEEDS = 200
# One in a thousand differs: the primary thread is blocked in another member's call, which waits for the primary
# thread's own member (docs/threads.md, "What is missing").
KNOWN = 2


@skips.mark("own", "other runtimes have no virtual processors")
def test_random_programs_find_the_same_but_for_what_is_missing():
    """A night's: scripts/random-programs."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--seeds", str(SEEDS), "--kinds", "user,auto", "--failures", str(KNOWN + 1)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    found = {kind: int(number) for number, kind in re.findall(r"(\d+) differ with (\w+)", done.stdout)}
    assert done.returncode == 0 or (found and max(found.values()) <= KNOWN), done.stdout + done.stderr
