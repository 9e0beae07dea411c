"""What a change can affect, by the sources of today, and by a small tree with a build of its own."""

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import affected_tests  # noqa: E402

loader = SourceFileLoader("check", str(ROOT / "scripts" / "check"))
check = module_from_spec(spec_from_loader("check", loader))
loader.exec_module(check)

BUILD = ROOT / "build"


@pytest.fixture(scope="module")
def native() -> affected_tests.Native:
    assert (BUILD / "build.ninja").exists(), "build/ is not configured: make build"
    return affected_tests.Native(ROOT, BUILD)


@pytest.fixture(scope="module")
def modules() -> affected_tests.Modules:
    return affected_tests.Modules(ROOT)


def nearest(found: dict, number: int) -> list[str]:
    ordered = sorted(found.items(), key=lambda pair: pair[1])
    return [getattr(test, "name", test) for test, _ in ordered[:number]]


def test_mutexes_have_the_tests_of_mutexes_first(native: affected_tests.Native):
    found = affected_tests.native_tests(native, ["src/threads/posix/mutexes.cpp"])
    assert all(name.startswith("threads.posix.mutexes.") for name in nearest(found, 5))


def test_a_header_has_the_searches_that_include_it_first(native: affected_tests.Native):
    found = affected_tests.native_tests(native, ["src/threads/scheduling/driver.hpp"])
    assert {"explorer.driver", "explorer.driver_orders", "threads.tick"} <= set(nearest(found, 8))


def test_what_the_compiler_has_read_counts_where_no_include_is_found(tmp_path: Path):
    (tmp_path / "build.ninja").write_text(
        "rule CXX_COMPILER__program\n"
        "  command = echo $out: main.cpp hidden/table.def >$out.d && touch $out\n"
        "  depfile = $out.d\n"
        "  deps = gcc\n"
        "rule CXX_EXECUTABLE_LINKER__program\n"
        "  command = touch $out\n"
        "build main.o: CXX_COMPILER__program main.cpp\n"
        "build program: CXX_EXECUTABLE_LINKER__program main.o\n"
    )
    (tmp_path / "main.cpp").touch()
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/table.def").touch()
    assert not affected_tests.Native(tmp_path, tmp_path).outputs(["hidden/table.def"]).keys() & {"main.o", "program"}
    subprocess.run(["ninja", "main.o"], cwd=tmp_path, check=True, capture_output=True)
    assert {"main.o", "program"} <= affected_tests.Native(tmp_path, tmp_path).outputs(["hidden/table.def"]).keys()


def test_what_is_linked_alone_is_no_test_of_other_rooms(native: affected_tests.Native):
    found = {test.name for test in affected_tests.native_tests(native, ["src/simulator/engine.cpp"])}
    assert "simulator.engine" in found
    assert not any(name.startswith(("threads.posix", "barriers.contract")) for name in found)


def test_a_changed_test_is_run_whatever_it_takes(native: affected_tests.Native):
    found = affected_tests.native_tests(native, ["tests/machine/waiting_test.cpp"])
    distances = {test.name: distance for test, distance in found.items()}
    assert distances == {"machine.waiting": 0}
    assert check.chosen(distances, {"machine.waiting": 1e6}, set(), 1) == ["machine.waiting"]


def test_python_tests_by_their_imports(modules: affected_tests.Modules):
    found = affected_tests.python_tests(modules, ["python/weir/base/statistics.py"], {})
    assert "tests/python/base/test_statistics.py" in nearest(found, 3)
    here = "tests/python/scripts/test_check.py"
    assert affected_tests.python_tests(modules, [here], {}) == {here: 0}


def test_python_tests_by_what_they_start(native: affected_tests.Native, modules: affected_tests.Modules):
    changed = ["src/openmp/forking/crew.cpp"]
    products = modules.products(native.outputs(changed))
    assert "src/libgomp-weir.so" in products
    found = affected_tests.python_tests(modules, changed, products)
    assert "tests/python/openmp/test_runtime.py" in found
    assert "tests/python/report/test_page.py" not in found


def test_what_python_tests_start_is_built_though_the_change_does_not_affect_it(
    native: affected_tests.Native, modules: affected_tests.Modules
):
    started = modules.started(native, ["tests/python/mpi/test_barriers.py"])
    assert {"tests/mpi/contract-mpich", "tests/mpi/learning-openmpi"} <= set(started)
    assert "src/libgomp-weir.so" in modules.started(native, ["tests/python/openmp/test_runtime.py"])
    assert "tests/mpi/contract-mpich" not in modules.started(native, ["tests/python/openmp/test_runtime.py"])


def test_tests_over_mpi_start_what_is_made_for_each(native: affected_tests.Native, modules: affected_tests.Modules):
    changed = ["tests/mpi/programs/dying.cpp"]
    found = affected_tests.python_tests(modules, changed, modules.products(native.outputs(changed)))
    assert "tests/python/mpi/test_barriers.py" in found


@pytest.mark.parametrize("folder", [f.name for f in (ROOT / "src").iterdir() if f.is_dir()])
def test_sources_of_each_room_have_tests(native: affected_tests.Native, modules: affected_tests.Modules, folder: str):
    sources = [str(f.relative_to(ROOT)) for f in (ROOT / "src" / folder).rglob("*.c*")]
    products = modules.products(native.outputs(sources))
    found = affected_tests.native_tests(native, sources), affected_tests.python_tests(modules, sources, products)
    assert any(found)


def test_what_failed_last_is_first_then_near_then_short():
    distances = {"far": 9, "near": 1, "long": 1, "failed": 9, "too_long": 1}
    costs = {"far": 1, "near": 1, "long": 5, "failed": 500, "too_long": 90}
    assert check.chosen(distances, costs, {"failed"}, 600) == ["failed", "near", "long", "far"]
    assert check.chosen(distances, costs, set(), 6) == ["near", "long"]
    assert check.chosen({"unknown": 3}, {}, set(), check.UNKNOWN_S) == ["unknown"]


def test_what_failed_last_takes_no_longer_than_the_time():
    failed = {str(number): 5 for number in range(100)}
    assert len(check.chosen(failed, dict.fromkeys(failed, 10), set(failed), 95)) == 10


def test_files_that_only_tests_read_have_them():
    for names in check.READ_BY_TESTS.values():
        assert all((ROOT / "tests" / "python" / name).exists() for name in names)
