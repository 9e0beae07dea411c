"""Programs of several users, and in containers, that share the node by a folder that all can reach."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .. import skips
from ..sharing_programs import Programs

pytestmark = [skips.mark("own", "other runtimes do not share"), skips.mark("processors"), skips.mark("root")]


@pytest.fixture
def public(programs: Programs, runtime: Path) -> Iterator[Path]:
    """A table that all users can reach, and the program and its runtime, too."""
    with tempfile.TemporaryDirectory(prefix="weir-test-share-", dir="/tmp") as folder:
        path = Path(folder)
        path.chmod(0o755)
        programs.program = Path(shutil.copy(programs.program, path))
        plain = {n: v for n, v in programs.environment.items() if n != "LD_LIBRARY_PATH"}
        (path / "table").mkdir()
        (path / "table").chmod(0o1777)
        more = {"LD_PRELOAD": shutil.copy(runtime, path), "WEIR_SHARE_DIR": str(path / "table")}
        programs.environment = plain | more
        yield path / "table"


ANOTHER = ("setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups")


def test_programs_of_several_users_share_a_public_table(programs: Programs, public: Path):
    first = programs.start()
    first.until(2)
    others = programs.start(launcher=ANOTHER)
    first.until(1)
    others.until(1)
    assert {file.stat().st_uid for file in public.iterdir()} == {0, 54321}
    others.process.kill()
    first.until(2)
    again = programs.start(launcher=ANOTHER)
    first.until(1)
    again.until(1)
    # It may not remove the entry of a program of root that was killed, and passes it over.
    first.process.kill()
    again.until(2)
    assert again.end() == ""
    assert [file.stat().st_uid for file in public.iterdir()] == [0]


@pytest.mark.parametrize("user", [(), ANOTHER])
def test_programs_in_containers_share_the_table_that_is_mounted_in_each(
    programs: Programs, public: Path, user: tuple[str, ...]
):
    """Each is process 1 of its own: entries are told apart, and live as long as their processes."""
    container = ("unshare", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child", *user)
    first, second = programs.start(launcher=container), programs.start(launcher=container)
    first.until(1)
    second.until(1)
    assert len(list(public.iterdir())) == 2
    inside = Path(f"/proc/{second.process.pid}/task/{second.process.pid}/children").read_text()
    os.kill(int(inside), signal.SIGKILL)
    first.until(2)
    outside = programs.start()
    first.until(1)
    outside.until(1)
    assert outside.end() == ""
    first.until(2)
    assert first.end() == ""
