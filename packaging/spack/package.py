# Weir for Spack 1.0 or later. docs/install.md says where this file goes.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.python import PythonPipBuilder

from spack.package import *


class Weir(CMakePackage):
    """Barrier synchronization for machines that are shared: barriers for C and C++, an OpenMP runtime for programs that
    are built already, and the command that runs, measures and simulates them."""

    license("Apache-2.0")

    # Of a tree (spack develop). A release has its url and sha256 here.
    version("0.1.0")

    variant("openmp", default=True, description="Build the OpenMP runtime, libgomp-weir.so")
    variant("python", default=True, description="Install the command weir")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    conflicts("%gcc@:10", msg="Weir needs C++20")
    conflicts("platform=darwin", msg="Weir is for Linux")
    conflicts("platform=windows", msg="Weir is for Linux")

    extends("python", when="+python")
    with when("+python"):
        depends_on("python@3.11:", type=("build", "run"))
        depends_on("py-pip", type="build")
        depends_on("py-scikit-build-core@0.10:0", type="build")
        depends_on("ninja", type="build")
        depends_on("pkgconfig", type="build")
        depends_on("boost@1.74: +thread+context", type=("build", "link"))
        depends_on("hwloc@2:", type=("build", "link"))
        depends_on("nlohmann-json@3.11:", type="build")
        depends_on("tomlplusplus", type="build")
        depends_on("py-typer@0.12:0", type=("build", "run"))
        depends_on("py-rich@13:15", type=("build", "run"))
        depends_on("py-numpy@1.26:2", type=("build", "run"))
        depends_on("py-altair@5.5:6", type=("build", "run"))
        depends_on("py-vl-convert-python@1.7:1", type=("build", "run"))
        depends_on("py-jinja2@3.1:3", type=("build", "run"))

    # The command's programs depend on Spack's libraries, and find them by their RPATH.
    command_settings = (
        "--config-settings=cmake.define.WEIR_SELF_CONTAINED=OFF",
        "--config-settings=cmake.define.CMAKE_INSTALL_RPATH_USE_LINK_PATH=ON",
    )
    # What the stand-alone test of the command does with it.
    command_calls = (("--version",), ("info",), ("explore", "sense", "--members", "2"))

    def cmake_args(self):
        return [
            self.define("WEIR_TESTS", False),
            self.define("WEIR_BENCH", False),
            self.define("WEIR_SIMULATOR", False),
            self.define("WEIR_MPI", False),
            self.define_from_variant("WEIR_OPENMP", "openmp"),
        ]

    @run_after("install", when="+python")
    def install_command(self):
        with working_dir(self.stage.source_path):
            pip(*PythonPipBuilder.std_args(self), *self.command_settings, f"--prefix={self.prefix}", ".")

    def test_command(self):
        """the command says what it is, sees the machine, and explores a barrier"""
        if self.spec.satisfies("~python"):
            raise SkipTest("the command is not installed: ~python")
        weir = which(self.prefix.bin.weir)
        for words in self.command_calls:
            weir(*words)
