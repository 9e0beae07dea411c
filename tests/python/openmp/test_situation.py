"""Where a suite runs: on which processors, beside what, under which quota."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base.driver import Process
from weir.cli import app
from weir.openmp.situation import Load, Situation, Unavailable, limited

from .. import retries, skips


@pytest.mark.parametrize(
    ("load", "delays"), [("none", 1.0), ("beside", 2.0), ("quota:1", 2.0), ("quota:0.5", 4.0), ("quota:2", 1.0)]
)
def test_the_reference_knows_what_share_of_the_processors_there_is(load: str, delays: float):
    where = Situation(2, (0, 1), Load.read(load))
    assert where.capacity == 2 / delays
    words = ["--processors", "2", "--capacity", f"{where.capacity:g}", "--delay-ns", "10000", "--sample-ms", "1"]
    expected = pytest.approx([delays * 10_000, max(1, delays / 2) * 10_000], rel=0.3)
    for _ in retries.tries("reference"):
        process = Process("weir-openmp-c-gcc", words, {"OMP_NUM_THREADS": "2"})
        found = [process.ask(f"sample {construct}", 300)["reference_ns"] for construct in ("barrier", "critical")]
        process.quit()
        if found == expected:
            break
    assert found == expected


def test_a_load_that_is_not_known_lists_the_known():
    for wrong in ("busy", "quota", "quota:0", "quota:x"):
        with pytest.raises(ValueError, match="known are none, beside, quota:C"):
            Load.read(wrong)
    done = CliRunner().invoke(app, ["bench", "openmp", "--load", "busy"])
    assert done.exit_code == 2 and "known are none" in done.output


def test_a_quota_is_set_by_either_version_of_cgroups_and_leaves_nothing(tmp_path: Path):
    first = tmp_path / "v1"
    (first / "cpu").mkdir(parents=True)
    (first / "cpu" / "cpu.cfs_quota_us").write_text("-1")
    with limited(1.5, first) as members:
        assert (members.parent / "cpu.cfs_quota_us").read_text() == "150000"
        assert (members.parent / "cpu.cfs_period_us").read_text() == "100000"
        for file in members.parent.iterdir():  # the kernel's own go with the group
            file.unlink()
    assert [f.name for f in (first / "cpu").iterdir()] == ["cpu.cfs_quota_us"]
    second = tmp_path / "v2"
    second.mkdir()
    (second / "cgroup.subtree_control").write_text("cpuset cpu io")
    with limited(0.5, second) as members:
        assert (members.parent / "cpu.max").read_text() == "50000 100000"
    nowhere = tmp_path / "none"
    nowhere.mkdir()
    with pytest.raises(Unavailable, match="run as root"), limited(1, nowhere):
        pass


@skips.mark("quota")
def test_a_program_begins_under_its_quota():
    where = Situation(2, tuple(sorted(os.sched_getaffinity(0))[:1]), Load.read("quota:0.5"))
    with where.launcher() as words:
        shown = "cat /proc/self/cgroup; grep Cpus_allowed_list /proc/self/status"
        said = subprocess.run([*words, "sh", "-c", shown], capture_output=True, text=True).stdout
        group = re.search(r":cpu[^:]*:(/weir-\d+-\d+)", said)
        assert group is not None, said
        assert re.search(rf"Cpus_allowed_list:\s+{where.processors[0]}$", said, re.M)
    assert not Path("/sys/fs/cgroup/cpu" + group.group(1)).exists()
