"""Builds conda's packages by their recipe, runs the recipe's tests, and installs them into an environment.

usage: conda.py TREE FOLDER   with py-rattler-build and py-rattler; prove-packages calls it on a bare file system

conda's channels are not asked. What the recipe requires of them is a channel made here: `python` is this machine's, in
an environment with the modules that weir needs, the compilers' and libraries' packages are empty (this machine's are
used), and conda-forge's runtime is this machine's libgomp under conda-forge's names.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import rattler
import rattler_build

warnings.filterwarnings("ignore", category=DeprecationWarning)
PROGRAM = "tests/install/project/uses_openmp.c"  # ends with 0 on Weir, with 2 on another runtime
WEIRS = "_openmp_mutex=*=*_weir_llvm"
VERSIONS = {
    "gcc_linux-64": "12.2.0", "gxx_linux-64": "12.2.0", "sysroot_linux-64": "2.34", "cmake": "3.25.1",
    "ninja": "1.11.1", "pkg-config": "0.29.2", "libboost-devel": "1.74.0", "libhwloc": "2.9.0",
    "nlohmann_json": "3.11.2", "tomlplusplus": "3.3.0",
}  # fmt: skip


def say(words: str) -> None:
    print(f"conda: {words}", flush=True)


def made(name: str, version: str, script: list[str], run: list[str], string: str = "0") -> dict:
    return {
        "schema_version": 1,
        "package": {"name": name, "version": version},
        "build": {
            "number": 0,
            "string": string,
            "script": script,
            "dynamic_linking": {"binary_relocation": False},
        },
        "requirements": {"run": run},
    }


def wanted(recipe: rattler_build.Stage0Recipe, variants: rattler_build.VariantConfig) -> dict[str, str]:
    """The packages that the recipe asks channels for, each with the versions that will do."""
    rendered = recipe.render(variants)
    ours = {str(variant.recipe.package.name) for variant in rendered}
    asked: dict[str, str] = {}
    for variant in rendered:
        requirements = variant.recipe.requirements
        for words in map(str, (*requirements.build, *requirements.host, *requirements.run)):
            name, _, versions = words.partition(" ")
            if name not in ours and not name.startswith("{"):  # pins of our own
                asked[name] = versions or asked.get(name, "")
    return asked


def channel_of_this_machine(tree: Path, folder: Path, asked: dict[str, str]) -> Path:
    """What the recipe asks for, and what conda-forge's programs of OpenMP ask for."""
    channel = folder / "machine"
    modules = sorted(asked.keys() - VERSIONS.keys() - {"python"})
    versions = dict(VERSIONS)
    environment = folder / "modules"
    subprocess.run(["python3", "-m", "venv", environment], check=True)
    pip = [environment / "bin/pip", "--disable-pip-version-check"]
    needed = [f"{name}{asked[name]}" for name in modules if name != "pip"]
    subprocess.run([*pip, "install", "-q", "-c", tree / "python/constraints.txt", *needed], check=True)
    listed = subprocess.run([*pip, "list", "--format=freeze"], check=True, capture_output=True, text=True).stdout
    frozen = dict(line.lower().replace("_", "-").split("==") for line in listed.split())
    versions |= {name: frozen[name] for name in modules}
    libgomp = subprocess.run(["cc", "-print-file-name=libgomp.so.1"], check=True, capture_output=True, text=True)
    libomp = folder / "stub"
    libomp.mkdir(exist_ok=True)
    (libomp / "named.c").write_text("void GOMP_parallel(void) {}\n")  # to link with by that name, and not to run on
    shared = ["cc", "-shared", "-Wl,-soname,libomp.so", libomp / "named.c"]
    subprocess.run([*shared, "-o", libomp / "libomp.so"], check=True)
    rpath = "'-Wl,-rpath,$ORIGIN/../lib'"
    here = f"cc -fopenmp {tree / PROGRAM}"
    recipes = [made(name, version, [], []) for name, version in sorted(versions.items())]
    recipes += [
        made("python", "3.11.2", [
            f"cp -a {environment}/. $PREFIX/",
            f"sed -i s,{environment},$PREFIX,g $PREFIX/pyvenv.cfg $(grep -rIl {environment} $PREFIX/bin)",
        ], []),
        made("libgomp", "12.2.0", ["mkdir -p $PREFIX/lib",
             f"cp {libgomp.stdout.strip()} $PREFIX/lib/libgomp.so.1.0.0"], []),
        made("_openmp_mutex", "4.5", ["mkdir -p $PREFIX/lib", "ln -s libgomp.so.1.0.0 $PREFIX/lib/libgomp.so.1"],
             ["libgomp"], "20_gnu"),
        made("of-gcc", "1.0", ["mkdir -p $PREFIX/bin", f"{here} {rpath} -o $PREFIX/bin/of-gcc"],
             ["_openmp_mutex >=4.5"]),
        # As conda-forge's packages for LLVM's runtime, such as PyTorch. GCC compiles it, for LLVM's name.
        made("of-llvm", "1.0", ["mkdir -p $PREFIX/bin", f"cc -fopenmp -c {tree / PROGRAM} -o program.o",
             f"cc program.o {rpath} -L{libomp} -lomp -o $PREFIX/bin/of-llvm"],
             ["llvm-openmp >=19.1.3", "_openmp_mutex >=4.5", "_openmp_mutex * *_llvm"]),
    ]  # fmt: skip
    for recipe in recipes:
        built = rattler_build.Stage0Recipe.from_dict(recipe, recipe_dir=folder / "recipes" / recipe["package"]["name"])
        build(built, None, channel, [], tests="skip")
    return channel


def build(recipe, variants, channel: Path, channels: list[Path], tests: str) -> None:
    results = recipe.run_build(
        variant_config=variants,
        output_dir=channel,
        channels=[path.as_uri() for path in channels],
        tool_config=rattler_build.ToolConfiguration(test_strategy=tests),
        package_format="tar.bz2",
    )
    for result in results:
        for package in result.packages:
            say(f"built {Path(package).name}" + (", its tests passed" if tests != "skip" else ""))


async def install(prefix: Path, channels: list[Path], specs: list[str]) -> dict[str, str]:
    """Makes the environment what the specs say; the build of each package that it then has."""
    sources = [rattler.Channel(path.as_uri()) for path in channels]
    asked = [rattler.MatchSpec(spec, strict=False) for spec in specs]  # as conda reads them
    records = await rattler.solve(sources, asked, platforms=["linux-64", "noarch"])
    await rattler.install(records, target_prefix=str(prefix), show_progress=False)
    return {record.name.normalized: str(record.build) for record in records}


def ended(prefix: Path, program: str) -> int:
    environment = {"PATH": f"{prefix}/bin:/usr/bin:/bin", "HOME": os.environ["HOME"], "OMP_NUM_THREADS": "3"}
    return subprocess.run([prefix / "bin" / program, "3"], env=environment).returncode


def expect(found: object, asked: object, what: str) -> None:
    if found != asked:
        sys.exit(f"conda: {what}: {found!r}, not {asked!r}")
    say(what)


async def environments(folder: Path, weir: Path, machine: Path) -> None:
    prefix = folder / "environment"
    await install(prefix, [machine], ["of-gcc"])
    expect(ended(prefix, "of-gcc"), 2, "before: the environment's program is on libgomp")
    has = await install(prefix, [weir, machine], ["of-gcc", WEIRS])
    expect(has["_openmp_mutex"], "0_weir_llvm", "the solver takes Weir's variant, asked for by its build")
    expect(ended(prefix, "of-gcc"), 0, "the same program is on Weir")
    has = await install(prefix, [weir, machine], ["of-gcc", "of-llvm"])
    expect(has["llvm-openmp"], "weir_0", "a package that asks for LLVM's runtime gets Weir's")
    expect(ended(prefix, "of-llvm"), 0, "and its program is on Weir, by the name libomp.so")
    await install(prefix, [machine], ["of-gcc", "_openmp_mutex=*=*_gnu"])
    expect(ended(prefix, "of-gcc"), 2, "undone: the program is on libgomp")
    left = [str(path) for path in prefix.rglob("*") if re.search("weir|libi?omp", path.name)]
    expect(left, [], "and no file of Weir's is left")
    await install(prefix, [weir, machine], ["weir", "of-gcc", "_openmp_mutex=*=*_gnu"])
    command = [prefix / "bin/weir", "run", "--", prefix / "bin/of-gcc", "3"]
    done = subprocess.run(command, env=os.environ | {"OMP_NUM_THREADS": "3"})
    expect(done.returncode, 0, "without the variant, weir run puts one program on Weir")


def main() -> None:
    tree, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["RATTLER_CACHE_DIR"] = str(folder / "cache")
    recipe = rattler_build.Stage0Recipe.from_file(tree / "packaging/conda/recipe.yaml")
    variants = rattler_build.VariantConfig.from_file(tree / "packaging/conda/variants.yaml")
    machine = channel_of_this_machine(tree, folder, wanted(recipe, variants))
    weir = folder / "weir"
    build(recipe, variants, weir, [machine], tests="native")
    asyncio.run(environments(folder, weir, machine))


if __name__ == "__main__":
    main()
