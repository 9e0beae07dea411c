"""Does what packaging/spack/package.py declares, one step after another, without Spack.

usage: spack.py TREE FOLDER   prove-packages calls it on a bare file system

It reads the package file: the definitions for CMake with the variants' defaults, pip's settings, the modules of Python
that the command needs, and the calls of the stand-alone test. What it adds itself is what Spack adds to every package:
the prefix, the build type, the RPATH, and pip's usual options. Compilers and libraries are this machine's.
"""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

# What Spack gives every package of CMake's, and every call of pip.
OF_CMAKE = ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON", "-DBUILD_TESTING=OFF")
OF_PIP = ("install", "--no-deps", "--ignore-installed", "--no-build-isolation", "--no-index")


class Declared:
    """What the class in a package file says."""

    def __init__(self, file: Path) -> None:
        classes = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)]
        self._class = classes[0]
        self.versions = [call[0] for call in self._calls("version")]
        self.variants = {words[0]: named["default"] for words, named in self._both("variant")}
        self.dependencies = [call[0] for call in self._calls("depends_on")]
        self.constants = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in self._class.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }

    def _both(self, name: str) -> list[tuple[list, dict]]:
        found = []
        for node in ast.walk(self._class):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == name:
                named = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
                found.append(([ast.literal_eval(word) for word in node.args], named))
        return found

    def _calls(self, name: str) -> list[list]:
        return [words for words, _ in self._both(name)]

    def cmake(self) -> dict[str, bool]:
        """Of each definition its value; that of a variant by the variant's default."""
        fixed = {name: value for name, value in self._calls("define")}
        return fixed | {name: self.variants[variant] for name, variant in self._calls("define_from_variant")}

    def modules(self) -> list[str]:
        """What the command needs of Python, as pip asks for it: py-rich@13:15 is rich>=13,<16."""
        found = []
        for name, _, versions in (asked.partition("@") for asked in self.dependencies if asked.startswith("py-")):
            least, _, last = versions.partition(":")
            bounds = f">={least},<{int(last) + 1}" if last else ""
            found.append(name.removeprefix("py-") + bounds)
        return [words for words in found if words != "pip"]


def run(*words: object, **named: object) -> None:
    print("spack:", *words, flush=True)
    subprocess.run([str(word) for word in words], check=True, **named)


def main() -> None:
    tree, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    prefix, environment = folder / "prefix", folder / "modules"
    declared = Declared(tree / "packaging/spack/package.py")
    definitions = [f"-D{name}={'ON' if value else 'OFF'}" for name, value in declared.cmake().items()]
    run("cmake", "-S", tree, "-B", folder / "build", f"-DCMAKE_INSTALL_PREFIX={prefix}", *OF_CMAKE, *definitions)
    run("cmake", "--build", folder / "build", stdout=subprocess.DEVNULL)
    run("cmake", "--install", folder / "build", stdout=subprocess.DEVNULL)
    run(tree / "tests/install/against.sh", prefix, tree / "tests/install/project")

    run("python3", "-m", "venv", environment)
    pip = environment / "bin/pip"
    constraints = ("-c", tree / "python/constraints.txt")
    run(pip, "--disable-pip-version-check", "install", "-q", *constraints, *declared.modules())
    settings = declared.constants["command_settings"]
    path = f"{environment}/bin:{os.environ['PATH']}"
    run(pip, *OF_PIP, *settings, f"--prefix={prefix}", ".", cwd=tree, env=os.environ | {"PATH": path})
    packages = next(prefix.glob("lib/python3*/site-packages"))
    for words in declared.constants["command_calls"]:
        run(prefix / "bin/weir", *words, env=os.environ | {"PYTHONPATH": str(packages)}, stdout=subprocess.DEVNULL)
    print("spack: passed", flush=True)


if __name__ == "__main__":
    main()
