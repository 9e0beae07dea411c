"""What packaging/ says of Weir is so: versions, dependencies, files, targets, options. prove-packages builds it."""

import importlib.util
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from weir.openmp.runtimes import LIBRARY, OPENMPS

ROOT = Path(__file__).parents[3]
PACKAGING = ROOT / "packaging"
RECIPE = yaml.safe_load((PACKAGING / "conda/recipe.yaml").read_text())
OUTPUTS = {output["package"]["name"]: output for output in RECIPE["outputs"]}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DOCKERFILE = (PACKAGING / "container/Dockerfile").read_text()
SCRIPTS = [*PACKAGING.rglob("*.sh"), ROOT / "scripts/prove-packages", ROOT / "scripts/bare-root"]


def _spack():  # its file's name is that of a package
    spec = importlib.util.spec_from_file_location("of_spack", ROOT / "tests/install/packages/spack.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Declared(PACKAGING / "spack/package.py")


SPACK = _spack()


def instructions(word: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return [line.removeprefix(word).strip() for line in joined.splitlines() if line.startswith(f"{word} ")]


def of_python(names: list[str]) -> set[str]:
    """As pyproject.toml writes them: "typer >=0.12,<1" is typer>=0.12,<1."""
    return {name.replace(" ", "") for name in names}


def test_versions_are_the_projects():
    version = PROJECT["project"]["version"]
    assert RECIPE["context"]["version"] == version
    assert SPACK.versions == [version]
    assert f"project(weir VERSION {version} " in (ROOT / "CMakeLists.txt").read_text()


def test_the_command_asks_for_the_projects_dependencies():
    needed = set(PROJECT["project"]["dependencies"])
    python = PROJECT["project"]["requires-python"]
    conda = of_python(OUTPUTS["weir"]["requirements"]["run"])
    assert conda == needed | {f"python{python}"}
    builds = set(PROJECT["build-system"]["requires"])
    assert builds <= of_python(OUTPUTS["weir"]["requirements"]["host"])
    assert set(SPACK.modules()) == needed | builds
    assert f"python@{python.removeprefix('>=')}:" in SPACK.dependencies


def test_the_runtime_has_every_name_that_programs_ask_for():
    scripts = [str(output["build"]["script"]) for output in OUTPUTS.values()]
    linked = [word for script in scripts for word in script.split() if ".so" in word]
    assert sorted(linked) == sorted(OPENMPS)
    assert f"lib/{LIBRARY}" in OUTPUTS["libweir"]["tests"][0]["package_contents"]["files"]


def test_the_switch_is_as_conda_forge_has_it():
    mutex, llvm = OUTPUTS["_openmp_mutex"], OUTPUTS["llvm-openmp"]
    assert mutex["build"]["string"].endswith("_llvm") and mutex["package"]["version"] == "4.5"
    assert any("'llvm-openmp', exact=True" in words for words in mutex["requirements"]["run"])
    assert "weir" in llvm["build"]["string"]
    for output in (mutex, llvm):
        assert any("'libweir', exact=True" in words for words in output["requirements"]["host"])


def test_files_that_the_recipe_names_are_there():
    text = (PACKAGING / "conda/recipe.yaml").read_text()
    named = set(re.findall(r"[\w-]+\.sh\b", text))
    assert named == {path.name for path in (PACKAGING / "conda").glob("*.sh")}
    for output in OUTPUTS.values():
        for test in output["tests"]:
            assert all((ROOT / path).is_file() for path in test.get("files", {}).get("source", []))
    assert (PACKAGING / "conda" / RECIPE["source"]["path"] / RECIPE["about"]["license_file"]).is_file()


def test_options_and_targets_that_packages_name_are_cmakes():
    options = set(re.findall(r"option\((WEIR_\w+)", (ROOT / "CMakeLists.txt").read_text()))
    files = [path.read_text() for path in PACKAGING.rglob("*") if path.is_file() and path.suffix in (".sh", ".py")]
    named = {name for text in files for name in re.findall(r"(?:-D|define\.|\")(WEIR_\w+)", text)}
    assert len(named) >= 5 and named <= options
    assert set(SPACK.cmake()) <= named
    lists = "\n".join(path.read_text() for path in (ROOT / "src").rglob("CMakeLists.txt"))
    targets = set(re.findall(r"add_library\(([\w-]+) SHARED", lists))
    asked = re.findall(r"--target ([\w -]+)$", (PACKAGING / "conda/build-runtime.sh").read_text(), re.MULTILINE)
    assert asked and {target for words in asked for target in words.split()} <= targets


def test_stages_of_the_image_refer_to_what_is_there():
    stages: list[str] = []
    for line in instructions("FROM"):
        image, _, name = line.partition(" AS ")
        assert image == "${BASE}" or image in stages
        stages.append(name)
    for line in instructions("COPY"):
        *sources, target = [word for word in line.split() if not word.startswith("--")]
        if stage := re.match(r"--from=(\S+)", line):
            assert stage.group(1) in stages
        else:
            assert all((ROOT / source).exists() for source in sources), line
    made = {target for line in instructions("RUN") for target in re.findall(r"^make ([\w-]+)", line)}
    assert made and all(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE) for target in made)


def test_the_image_starts_its_program_by_weir():
    assert [json.loads(words) for words in instructions("ENTRYPOINT")] == [["weir", "run", "--"]]
    (program,) = (json.loads(words)[-1] for words in instructions("CMD"))
    copied = [line.split() for line in instructions("COPY") if line.split()[-1] == f"{Path(program).parent}/"]
    assert [Path(words[0]).name for words in copied] == [Path(program).name]
    compile((ROOT / copied[0][0]).read_text(), program, "exec")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_sh(script: Path):
    done = subprocess.run(["sh", "-n", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def link_names(prefix: Path) -> subprocess.CompletedProcess[str]:
    words = ["sh", PACKAGING / "conda/link-names.sh", "libgomp.so.1", "libomp.so"]
    return subprocess.run(words, env=os.environ | {"PREFIX": str(prefix)}, capture_output=True, text=True)


def test_other_names_are_links_to_the_runtime_that_is_there(tmp_path: Path):
    (tmp_path / "lib").mkdir()
    done = link_names(tmp_path)
    assert done.returncode == 1 and f"{tmp_path}/lib has no {LIBRARY}" in done.stderr
    (tmp_path / "lib" / LIBRARY).touch()
    assert link_names(tmp_path).returncode == 0
    assert {os.readlink(tmp_path / "lib" / name) for name in ("libgomp.so.1", "libomp.so")} == {LIBRARY}


def test_programs_are_built_without_concurrency_kit_where_it_is_not(tmp_path: Path):
    words = ["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DWEIR_PYTHON=ON", "-DWEIR_SELF_CONTAINED=OFF",
             "-DWEIR_TESTS=OFF", "-DWEIR_MPI=OFF", "-DCK_LIBRARY="]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "without Concurrency Kit's barriers" in done.stderr
    words = ["ninja", "-C", tmp_path, "-t", "commands", "weir-measure"]
    planned = subprocess.run(words, capture_output=True, text=True)
    assert "subjects_standard.cpp" in planned.stdout and "subjects_ck.cpp" not in planned.stdout
    assert "-static-libstdc++" not in planned.stdout


def test_a_part_that_is_not_known_is_named():
    done = subprocess.run([ROOT / "scripts/prove-packages", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2 and 'unknown part "nonsense"' in done.stderr


def test_each_public_header_and_the_whole_tree_name_the_licence():
    licence = PROJECT["project"]["license"]
    (of_all,) = tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]
    assert (of_all["path"], of_all["SPDX-License-Identifier"]) == ("**", licence)
    headers = [*(ROOT / "include").rglob("*.h"), *(ROOT / "include").rglob("*.hpp")]
    assert len(headers) > 20
    first_lines = {path: path.read_text().partition("\n")[0] for path in headers}
    assert not [path for path, line in first_lines.items() if f"SPDX-License-Identifier: {licence}" not in line]
