"""What weir doctor reads: made-up trees of /proc, of quotas and of files."""

import subprocess
from pathlib import Path

import pytest

from weir.doctor import groups, pools
from weir.doctor.groups import Throttled
from weir.doctor.proc import TICKS, Denied, Gone, Proc, numbers
from weir.doctor.sampling import Watch

from .made_up import V1, V2, Machine

GOMP = "/usr/lib/libgomp.so.1.0.0"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def watched(machine: Machine, number: int = 10, born: bool = False) -> tuple[Watch, Clock]:
    clock = Clock()
    return Watch(Proc(machine.root), number, born, clock), clock


def test_a_process_is_read_with_its_threads(machine: Machine):
    environment = "OMP_NUM_THREADS=8\0HOME=/\0no equals\0"
    machine.process(10, ["./a b", "", "c"], files=[GOMP, GOMP, "/tmp/gone (deleted)"], environment=environment)
    machine.thread(10, 10, "a (b) c", ticks=TICKS, ran=(2_000_000_000, 500_000_000, 3), switches=(4, 5))
    machine.thread(10, 11, ticks=2 * TICKS, processors="1,4-5")
    seen = Proc(machine.root).process(10)
    assert seen.words == ("./a b", "", "c") and seen.files == (GOMP, "/tmp/gone")
    assert seen.environment == {"OMP_NUM_THREADS": "8", "HOME": "/"}
    first, second = seen.threads.values()
    assert (first.name, first.cpu_s, first.ready_s, first.voluntary, first.involuntary) == ("a (b) c", 2.0, 0.5, 4, 5)
    assert (second.cpu_s, second.ready_s, second.processors) == (2.0, None, {1, 4, 5})
    assert first.begun == second.begun == 100


def test_a_kernel_that_does_not_count_is_not_believed(machine: Machine):
    machine.process(10)
    machine.thread(10, 10, ticks=TICKS, ran=(0, 0, 0))
    (thread,) = Proc(machine.root).process(10).threads.values()
    assert (thread.cpu_s, thread.ready_s) == (1.0, None)


@pytest.mark.parametrize("state", ["Z", "X"])
def test_a_process_that_has_ended_is_gone(machine: Machine, state: str):
    machine.process(10, state=state)
    machine.thread(10, 10)
    for number in (10, 11):
        with pytest.raises(Gone):
            Proc(machine.root).process(number)


def test_a_process_that_may_not_be_read_is_denied(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    machine.process(10)
    read = Path.read_text

    def refuse(path: Path, **how: str) -> str:
        if path.name == "maps":
            raise PermissionError
        return read(path, **how)

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(Denied, match="guards itself"):
        Proc(machine.root).process(10)


def test_descendants_are_found(machine: Machine):
    for number, parent in ((10, 1), (11, 10), (12, 11), (13, 1), (14, 10), (15, 14)):
        machine.process(number, parent=parent)
    assert Proc(machine.root).below(10) == [11, 12, 14, 15]
    assert Proc(machine.root).below(10, except_for=14) == [11, 12]


def test_a_number_of_a_thread_leads_to_its_process(machine: Machine):
    machine.put("proc/11/status", "Name:\tteam\nTgid:\t10\n")
    assert Proc(machine.root).leader(11) == 10
    with pytest.raises(Gone):
        Proc(machine.root).leader(12)


def test_lists_of_processors():
    assert numbers("0-2,8\n") == {0, 1, 2, 8} and numbers("") == set()


@pytest.mark.parametrize(
    ("mount", "group", "files", "expected"),
    [
        (V2, "0::/a/b", {"sys/fs/cgroup/a/cpu.max": "150000 100000"}, (1.5, "a/cpu.max")),
        (V2, "0::/a/b", {"sys/fs/cgroup/a/b/cpu.max": "max 100000"}, None),
        (V2, "0::/a", {"sys/fs/cgroup/cpu.max": "200000 100000", "sys/fs/cgroup/a/cpu.max": "50000 100000"},
         (0.5, "a/cpu.max")),
        (V2, "0::/../out", {"sys/fs/cgroup/cpu.max": "200000 100000"}, None),
        (V1, "3:cpu,cpuacct:/a\n2:cpuset:/b",
         {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "25000", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000"},
         (0.25, "a/cpu.cfs_quota_us")),
        (V1, "3:cpu:/", {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
         None),
        (V1.replace(" / ", " /docker/1 ", 1), "3:cpu:/docker/1/in",
         {"sys/fs/cgroup/cpu/in/cpu.cfs_quota_us": "300000", "sys/fs/cgroup/cpu/in/cpu.cfs_period_us": "100000"},
         (3.0, "cpu/in/cpu.cfs_quota_us")),
        ("", "0::/", {}, None),
        (V2, "nonsense", {}, None),
    ],
)  # fmt: skip
def test_quotas(machine: Machine, mount: str, group: str, files: dict[str, str], expected: tuple[float, str] | None):
    machine.put("proc/self/mountinfo", mount)
    machine.process(10, group=group)
    for path, text in files.items():
        machine.put(path, text)
    found = groups.quota(groups.groups(machine.root, 10))
    assert (found is None) == (expected is None)
    if found and expected:
        assert found.processors == expected[0] and found.source.endswith(expected[1])


@pytest.mark.parametrize(
    ("mount", "group", "folder", "unit"),
    [
        (V1, "3:cpu:/a", "sys/fs/cgroup/cpu/a", "throttled_time 3000000000"),
        (V2, "0::/a", "sys/fs/cgroup/a", "throttled_usec 3000000"),
    ],
)
def test_throttling(machine: Machine, mount: str, group: str, folder: str, unit: str):
    machine.put("proc/self/mountinfo", mount)
    machine.process(10, group=group)
    machine.put(f"{folder}/cpu.stat", f"nr_periods 20\nnr_throttled 8\n{unit}\n")
    (found,) = groups.throttled(groups.groups(machine.root, 10)).values()
    assert found == Throttled(20, 8, 3.0) and found - Throttled(10, 6, 1.0) == Throttled(10, 2, 2.0)


def test_a_sample_is_the_difference_of_looks(machine: Machine):
    machine.process(10, files=[GOMP])
    machine.thread(10, 10, ran=(5_000_000_000, 1_000_000_000, 9), switches=(100, 10))
    watch, clock = watched(machine)
    watch.look()
    clock.now = 2.0
    machine.thread(10, 10, ran=(6_000_000_000, 1_500_000_000, 9), switches=(104, 13))
    machine.thread(10, 11, "late", ran=(250_000_000, 0, 1))  # it began under our eyes
    machine.process(12, parent=10)
    machine.thread(12, 12, "child", ran=(500_000_000, 0, 1), processors="1")
    machine.busy((3 * TICKS, 0), (TICKS, TICKS))
    watch.look()
    found = watch.sample()
    assert [(t.name, t.cpu_s, t.ready_s) for t in found.threads] == [
        ("team", 1.0, 0.5), ("late", 0.25, 0.0), ("child", 0.5, 0.0),
    ]  # fmt: skip
    assert (found.threads[0].voluntary, found.threads[0].involuntary) == (4, 3)
    assert found.seconds == 2.0 and found.most_threads == 3 and found.processors == {0, 1}
    assert found.stolen_s == 1.0 and 1.5 < found.foreign_s <= 2.25  # less what this test uses itself
    assert [pool.library.name for pool in found.pools] == ["libgomp (GCC)"]


def test_a_program_that_we_started_counts_from_zero(machine: Machine):
    machine.process(10)
    machine.thread(10, 10, ran=(5_000_000, 0, 1))
    watch, _ = watched(machine, born=True)
    watch.look()
    assert [t.cpu_s for t in watch.sample().threads] == [0.005]


def test_what_ended_stays_in_the_sample(machine: Machine):
    machine.process(10)
    for number in range(10, 110):
        machine.thread(10, number, ran=(number * 1_000_000, 0, 1))
    watch, clock = watched(machine, born=True)
    watch.look()
    for number in range(11, 110):
        (machine.root / f"proc/10/task/{number}/stat").unlink()
    clock.now = 1.0
    watch.look()
    (machine.root / "proc/10/stat").unlink()
    with pytest.raises(Gone):
        watch.look()
    found = watch.sample()
    assert len(found.threads) == found.most_threads == 100 and found.ended and found.processes[0].live == 1


def test_exec_replaces_what_was_loaded(machine: Machine):
    for exe, files in (("/bin/weir", ["/usr/lib/libopenblas.so.0"]), ("/bin/team", [GOMP])):
        machine.process(10, files=files)
        (machine.root / "proc/10/exe").unlink(missing_ok=True)
        (machine.root / "proc/10/exe").symlink_to(exe)
        machine.thread(10, 10)
        if exe == "/bin/weir":
            watch, _ = watched(machine)
        watch.look()
    assert [pool.library.name for pool in watch.sample().pools] == ["libgomp (GCC)"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("libgomp.so.1.0.0", "libgomp (GCC)"),
        ("libgomp-a34b3233.so.1.0.0", "libgomp (GCC)"),
        ("libgomp-weir.so", "Weir's OpenMP runtime"),
        ("libweir-omp.so", "Weir's OpenMP runtime"),
        ("libomp.so.5", "libomp (LLVM)"),
        ("libiomp5.so", "libiomp5 (Intel)"),
        ("libompt-tool.so", None),
        ("libomptarget.so.19", None),
        ("libopenblasp-r0.3.21.so", "OpenBLAS"),
        ("libscipy_openblas64_-32a4b2a6.so", "OpenBLAS"),
        ("libmkl_rt.so.2", "MKL"),
        ("libmkl_core.so.2", None),
        ("libblis.so.4", "BLIS"),
        ("libtbb.so.12.8", "oneTBB"),
        ("libtbbmalloc.so.2", None),
        ("onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so", "ONNX Runtime"),
        ("libmpi.so.40.30.4", "MPI"),
        ("libmpich.so.12", "MPI"),
        ("libjvm.so", "Java"),
        ("libgomp.txt", None),
    ],
)
def test_pools_are_known_by_their_files(file: str, name: str | None):
    found = pools.pools([(f"/usr/lib/{file}", Path("/no/such/file"))])
    assert [pool.library.name for pool in found] == ([name] if name else [])


def test_versions_are_read_where_a_file_has_them(tmp_path: Path):
    gomp, blas = tmp_path / "libgomp.so.1", tmp_path / "libopenblas.so.0"
    gomp.write_bytes(b"\0GOMP_4.5\0GOMP_5.0.1\0GOMP_5.1\0GOMP_parallel\0")
    blas.write_bytes(b"\0OpenBLAS 0.3.21 NO_LAPACKE\0")
    tbb, omp = tmp_path / "libtbb.so.12.8", Path("/usr/lib/llvm-19/lib/libomp.so.5")
    found = pools.pools((str(file), file) for file in (gomp, blas, tbb, omp))
    assert [pool.version for pool in found] == ["GOMP_5.1", "0.3.21", "12.8", "19"]


@pytest.mark.parametrize("text", [b"", b"#!/bin/sh\n", b"\x7fELF\x02\x01", b"\x7fELF\x02\x01" + b"\xff" * 90])
def test_a_file_that_is_no_program_tells_nothing(tmp_path: Path, text: bytes):
    file = tmp_path / "file"
    file.write_bytes(text)
    seen = pools.program(file)
    assert not seen.go and not seen.static and not seen.openmp_inside


def test_a_program_is_static_whose_file_asks_for_no_linker(tmp_path: Path):
    source = tmp_path / "s.c"
    source.write_text("int main(void) { return 0; }")
    for kind in ("static", "static-pie"):
        subprocess.run(["gcc", f"-{kind}", source, "-o", tmp_path / kind], check=True)
        assert pools.program(tmp_path / kind).static
    assert not pools.program(Path("/bin/true")).static
    assert not pools.program(Path("/lib64/ld-linux-x86-64.so.2").resolve()).static
